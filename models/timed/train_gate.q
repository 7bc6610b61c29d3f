// Never two trains on the bridge: holds
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross and Train(j).Cross imply i == j
// Every train that comes crosses: holds
Train(0).Appr --> Train(0).Cross
// The queue does not overflow: holds
A[] Gate.len <= N
// Nothing gets stuck: holds
A[] not deadlock
// A train can cross while another one waits: holds
E<> Train(0).Cross and Train(1).Stop
