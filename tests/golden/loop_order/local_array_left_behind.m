-- expect: violated "t"
-- expect: violated "u"
-- apart: node
-- Rounds of an inner loop leave the last value in an array that the outer loop wrote first.
type node : scalarset(2); R : 0..1;
var a : array [node] of boolean; t, u, done : boolean;
startstate for n : node do a[n] := false; end; t := false; u := false; done := false; end;
ruleset n : node do rule "set" !done & (forall m : node do !a[m] end) ==> begin a[n] := true; end; end;
rule "test" (exists m : node do a[m] end) & !done ==> var lr : array [R] of boolean; begin
  for i : R do lr[i] := false; for n : node do lr[i] := a[n]; end; end;
  if lr[1] then t := true; else u := true; end; done := true; end;
invariant "t" !t; invariant "u" !u;
