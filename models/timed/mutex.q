// Two processes are never unsafe at once
// expect: holds
A[] forall (i : id_t) forall (j : id_t) (A(i).Unsafe and A(j).Unsafe imply i == j)
// Each is granted access
// expect: holds
E<> A(N).Unsafe
