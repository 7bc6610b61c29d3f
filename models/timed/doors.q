// Never both open: holds
A[] not (Door1.open and Door2.open)
// Each can open: holds
E<> Door1.open
E<> Door2.open
// The doors can wait for each other, each pushed while the other was idle: violated
A[] not deadlock
