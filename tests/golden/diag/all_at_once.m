-- Mistakes of all kinds, each reported, and none because of another: 'level' is declared, though wrongly.
const N : 3;
type t : 1..N;
var x : t; y : boolean;
var level : 1.. ;
startstate begin x := 1; y := false; end;
rule "a" x = 1 ==> begin x := 2; y := tru; level := 1; end;
rule "b" x = => 2 begin x := 1; end;
rule "c" z = 1 ==> begin if x = then y := true; else y := false; end; x := ; other := 3; end;
invariant "i" x < ;
invariant "j" q = 3;
