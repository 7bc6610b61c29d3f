// All can cross within 60 minutes
// expect: holds
E<> S1.safe and S2.safe and S3.safe and S4.safe and time <= 60
// Not faster
// expect: holds
A[] S1.safe and S2.safe and S3.safe and S4.safe imply time >= 60
// The slowest one needs 25 minutes
// expect: holds
A[] S4.safe imply time >= 25
