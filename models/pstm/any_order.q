// What holds for every number of transactions: `parvis prove models/pstm/any_order.xta` shows all four.

// No update is lost: between two commits the second transaction has read, computed and written, so they are that far apart
A[] Memory.commit_result imply since >= R_PROC + TX_PROC + W_PROC

// Safety I: the memory serves the one that it has taken the request of
A[] forall (i : IDs) (Memory.read and owner == i imply Transaction(i).reading)
A[] forall (i : IDs) (Memory.write and owner == i imply Transaction(i).writing)

// Only one is served at a time
A[] forall (i : IDs) forall (j : IDs) (Transaction(i).writing and (Transaction(j).writing or Transaction(j).reading) imply i == j)
