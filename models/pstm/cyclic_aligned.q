// The properties of the paper for cyclic aligned transactions; all hold. L, the number of transactions in
// their location `committed`, is a sum here.

// Deadlock Freeness
A[] not deadlock

// Safety I: the memory serves the request at the front of the queue
A[] Memory.processing imply queue[current].id == owner.id

// Liveness I: all transactions can commit
E<> forall (i : IDs) TxW(i).committed

// Liveness II: whoever is not pending has committed
A[] forall (i : int[0, N]) (i == pending imply (sum (j : IDs) TxW(j).committed) >= N - i)

// Liveness III: commit number c happens at the time of formula (1), for c = 1, ..., N (N is 7 in the paper) ...
E<> 1 > N or now == commit_time(1) and (sum (i : IDs) TxW(i).committed) == 1
E<> 2 > N or now == commit_time(2) and (sum (i : IDs) TxW(i).committed) == 2
E<> 3 > N or now == commit_time(3) and (sum (i : IDs) TxW(i).committed) == 3
E<> 4 > N or now == commit_time(4) and (sum (i : IDs) TxW(i).committed) == 4
E<> 5 > N or now == commit_time(5) and (sum (i : IDs) TxW(i).committed) == 5
E<> 6 > N or now == commit_time(6) and (sum (i : IDs) TxW(i).committed) == 6
E<> 7 > N or now == commit_time(7) and (sum (i : IDs) TxW(i).committed) == 7
// ... and not one unit earlier
A[] 1 > N or not (now <= commit_time(1) - 1 and (sum (i : IDs) TxW(i).committed) >= 1)
A[] 2 > N or not (now <= commit_time(2) - 1 and (sum (i : IDs) TxW(i).committed) >= 2)
A[] 3 > N or not (now <= commit_time(3) - 1 and (sum (i : IDs) TxW(i).committed) >= 3)
A[] 4 > N or not (now <= commit_time(4) - 1 and (sum (i : IDs) TxW(i).committed) >= 4)
A[] 5 > N or not (now <= commit_time(5) - 1 and (sum (i : IDs) TxW(i).committed) >= 5)
A[] 6 > N or not (now <= commit_time(6) - 1 and (sum (i : IDs) TxW(i).committed) >= 6)
A[] 7 > N or not (now <= commit_time(7) - 1 and (sum (i : IDs) TxW(i).committed) >= 7)

// Reachability: when all transactions have finished, the memory and the queue come to rest
(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> \
    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())
