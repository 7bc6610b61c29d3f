// All can have access at once
// expect: holds
E<> forall (i : id_t) User(i).access
// Access with the second policy takes two certificates
// expect: holds
A[] forall (i : id_t) (User(i).access and User(i).policy == 2 imply User(i).certificates == 2)
