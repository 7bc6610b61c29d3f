// The properties of the paper for linear drifted transactions; all hold.

// Deadlock Freeness
A[] not deadlock

// Safety I: the memory serves the request at the front of the queue
A[] Memory.processing imply queue[current].id == owner.id

// Reachability: when all transactions have finished, the memory and the queue come to rest
(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> \
    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())
