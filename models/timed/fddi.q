// One station at a time has the token
// expect: holds
A[] (sum (i : id_t) (not Station(i).idle1 and not Station(i).idle2)) <= 1
// A station with the token is the one whose turn it is
// expect: holds
A[] forall (i : id_t) (Station(i).async1 imply Ring.held and Ring.at == i)
// The token can come late
// expect: holds
E<> Station(1).late1
