// Never two trains on the bridge
// expect: holds
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross and Train(j).Cross imply i == j
// The train that crosses is the first of the queue
// expect: holds
A[] forall (i : id_t) (Train(i).Cross imply Gate.len > 0 and Gate.ring[Gate.head] == i)
