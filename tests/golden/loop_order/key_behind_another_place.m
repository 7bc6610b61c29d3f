-- expect: violated "run-time error"
-- expect: violated "u"
-- apart: node
-- Whether an owner has the key of a round is asked after a read that fails once another round was there.
type node : scalarset(2); owner : scalarset(2);
var at, p : array [owner] of node; c : array [node] of array [owner] of boolean; u, done : boolean;
startstate undefine at; undefine p; for o : owner do for e : node do c[e][o] := true; end; end; u := false; done := false; end;
ruleset n : node do rule "set" !done & (forall m : owner do isundefined(at[m]) end) ==> begin
  for o : owner do at[o] := n; p[o] := n; end; end; end;
rule "test" (forall m : owner do !isundefined(at[m]) end) & !done ==> begin
  done := true;
  for n : node do for o : owner do
    if c[p[o]][o] & !isundefined(at[o]) & at[o] = n then undefine p[o]; end; end; end;
  u := true; end;
invariant "u" !u;
