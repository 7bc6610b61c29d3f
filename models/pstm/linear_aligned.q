// The properties of the paper for linear aligned transactions; all hold.

// Deadlock Freeness
A[] not deadlock

// Safety I: the memory serves the request at the front of the queue
A[] Memory.processing imply queue[current].id == owner.id

// Safety II: of conflicting transactions only the one whose write request came first commits
A[] forall (i : IDs) ((i == first imply Tx[i].result != TX_RSP_ABORTED) and \
                      (i != first imply Tx[i].result != TX_RSP_COMMITTED))

// Reachability: when all transactions have finished, the memory and the queue come to rest
(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> \
    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())
