// Never two trains on the bridge
// expect: holds
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross and Train(j).Cross imply i == j
// Every train that comes crosses
// expect: holds
Train(0).Appr --> Train(0).Cross
// The queue does not overflow
// expect: holds
A[] Gate.len <= N
// Nothing gets stuck
// expect: holds
A[] not deadlock
// A train can cross while another one waits
// expect: holds
E<> Train(0).Cross and Train(1).Stop
