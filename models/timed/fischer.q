// Mutual exclusion
// expect: holds
A[] forall (i : id_t) forall (j : id_t) P(i).critical and P(j).critical imply i == j
// Nobody gets stuck
// expect: holds
A[] not deadlock
// Each can enter
// expect: holds
E<> P(1).critical
// Entering is not certain, others may always be first
// expect: violated
P(1).requesting --> P(1).critical
// A process that asks for entry goes on to wait
// expect: holds
P(1).requesting --> P(1).waiting
