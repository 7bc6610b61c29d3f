// The properties of the paper for cyclic aligned transactions; all hold.

// Deadlock Freeness
A[] not deadlock

// Safety I: the memory serves the request at the front of the queue
A[] Memory.processing imply queue[current].id == owner.id

// Liveness I: all transactions can commit
E<> forall (i : IDs) TxW(i).committed

// Liveness II: those that have not committed are still running
A[] version == sum (i : IDs) (TxW(i).committed or TxW(i).commit_result and Tx[i].result == TX_RSP_COMMITTED or \
    (TxW(i).wait_rsp_TX_W and owner.id == i and owner.op == TX_W and Memory.done and rsp_result == TX_RSP_COMMITTED))

// Liveness III: commit times by formula (1), and not one unit earlier
E<> now == commit_time(1) and (sum (i : IDs) TxW(i).committed) == 1
E<> now == commit_time(N) and (sum (i : IDs) TxW(i).committed) == N
A[] (sum (i : IDs) TxW(i).committed) >= 1 imply now >= commit_time(1)
A[] (sum (i : IDs) TxW(i).committed) == N imply now >= commit_time(N)

// Reachability: when all transactions have finished, the memory and the queue come to rest
(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> \
    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())
