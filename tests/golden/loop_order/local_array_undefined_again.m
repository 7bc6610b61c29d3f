-- expect: violated "run-time error"
-- expect: violated "u"
-- apart: node
-- A round that undefines what it wrote fails, unless another one ends the loop before.
type node : scalarset(2); R : 0..1;
var a : array [node] of boolean; u, done : boolean;
startstate for n : node do a[n] := false; end; u := false; done := false; end;
ruleset n : node do rule "set" !done & (forall m : node do !a[m] end) ==> begin a[n] := true; end; end;
rule "test" (exists m : node do a[m] end) & !done ==> var lr : array [R] of boolean; begin
  done := true;
  for n : node do
    for i : R do lr[i] := true; if a[n] then undefine lr[i]; end; end;
    if lr[1] then u := true; return; end;
  end; end;
invariant "u" !u;
