// No job of the long task takes longer than the analysis says
// expect: holds
A[] Lo.ready imply response <= 8
// One does take as long
// expect: holds
E<> Lo.ready and response == 8
// None is done before 5: it has to wait for the short task, and then needs 3
// expect: violated
E<> Lo.done and response < 5
// Interrupted at 5, its work stands still
// expect: holds
E<> Lo.ready and Lo.work == 3 and response == 6
// expect: violated
E<> Lo.ready and Lo.work == 2 and response == 6
// There is always a next job
// expect: holds
A[] not deadlock
// expect: holds
Lo.ready --> Lo.done
