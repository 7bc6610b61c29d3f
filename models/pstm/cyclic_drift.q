// The properties of the paper for cyclic drifted transactions; all hold. L, the number of transactions in
// their location `committed`, is a sum here.

// Deadlock Freeness
A[] not deadlock

// Safety I: the memory serves the request at the front of the queue
A[] Memory.processing imply queue[current].id == owner.id

// Liveness I: all transactions can commit
E<> forall (i : IDs) TxW(i).committed

// Liveness II: whoever is not pending has committed
A[] forall (i : int[0, N]) (i == pending imply (sum (j : IDs) TxW(j).committed) >= N - i)

// Reachability: when all transactions have finished, the memory and the queue come to rest
(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> \
    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())
