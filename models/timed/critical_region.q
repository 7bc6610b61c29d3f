// A cell that stays too long fails
// expect: holds
E<> exists (i : id_t) Cell(i).failed
// The counter goes on while a cell is in the region, so that two can be there
// expect: violated
A[] forall (i : id_t) forall (j : id_t) Cell(i).critical and Cell(j).critical imply i == j
