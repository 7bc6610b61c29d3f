-- expect: violated "p"
-- apart: node
-- A part of a local array keeps what another round wrote.
type node: scalarset(2); R: 0..2;
var a, b: array[node] of boolean; done: boolean;
startstate begin for n: node do a[n] := false; b[n] := false; end; done := false; end;
ruleset n: node do rule "a" !done ==> begin a[n] := !a[n]; end; end;
rule "go" !done ==> var la: array[R] of boolean; begin done := true; for i: R do la[i] := false; end;
 for n: node do for i: 0..1 do la[i] := true; end; b[n] := la[2]; la[2] := a[n]; end; end;
invariant "p" (done & (exists n: node do a[n] end) & (exists n: node do !a[n] end)) -> exists n: node do b[n] end;
