-- expect: violated "p"
-- apart: node
-- Every cell of a local array is written in a round, but read before.
type node: scalarset(2); owner: scalarset(2);
var a, b: array[node] of boolean; done: boolean;
startstate begin for n: node do a[n] := false; b[n] := false; end; done := false; end;
ruleset n: node do rule "set" !a[n] & !done ==> begin a[n] := true; end; end;
rule "prefix" !done ==> var x: array[owner] of boolean; begin for p: owner do x[p] := false; end;
 for n: node do for p: owner do x[p] := a[n] | x[p]; end; b[n] := exists p: owner do x[p] end; end; done := true; end;
invariant "p" (done & (exists n: node do a[n] end) & (exists n: node do !a[n] end)) -> exists n: node do a[n] != b[n] end;
