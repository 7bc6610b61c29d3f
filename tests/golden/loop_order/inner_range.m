-- expect: violated "p"
-- apart: node
-- An inner variable is another value in each inner round, no constant.
type node: scalarset(2); rng: 0..1;
var a: array[node] of array[rng] of boolean; w: rng; 
startstate begin for n: node do for p: rng do a[n][p] := false; end; end; undefine w; end;
ruleset n: node; p: rng do rule "set" !a[n][p] ==> begin a[n][p] := true; end; end;
rule "last" isundefined(w) ==> begin for n: node do for p: rng do if a[n][p] then w := p; end; end; end; end;
invariant "p" forall i: node do forall j: node do (a[i][0] & !a[i][1] & a[j][1] & !a[j][0] & !isundefined(w)) -> w != 0 end end;
