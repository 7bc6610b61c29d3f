-- expect: violated "run-time error"
-- expect: violated "u"
-- apart: node
-- A cell of a local array gets a copy of what may have no value.
type node : scalarset(2); R : 0..1;
var p : array [node] of boolean; u, done : boolean;
startstate for n : node do p[n] := true; end; u := false; done := false; end;
ruleset n : node do rule "set" !done & (forall m : node do !isundefined(p[m]) end) ==> begin undefine p[n]; end; end;
rule "test" (exists m : node do isundefined(p[m]) end) & !done ==> var lr : array [R] of boolean; begin
  done := true;
  for n : node do
    lr[1] := p[n];
    if lr[1] then u := true; return; end;
  end; end;
invariant "u" !u;
