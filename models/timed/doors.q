// Never both open
// expect: holds
A[] not (Door1.open and Door2.open)
// Each can open
// expect: holds
E<> Door1.open
// expect: holds
E<> Door2.open
// The doors can wait for each other, each pushed while the other was idle
// expect: violated
A[] not deadlock
