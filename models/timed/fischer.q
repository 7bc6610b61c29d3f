// Mutual exclusion: holds
A[] forall (i : id_t) forall (j : id_t) P(i).critical and P(j).critical imply i == j
// Nobody gets stuck: holds
A[] not deadlock
// Each can enter: holds
E<> P(1).critical
// Entering is not certain: violated, others may always be first
P(1).requesting --> P(1).critical
// A process that asks for entry goes on to wait: holds
P(1).requesting --> P(1).waiting
