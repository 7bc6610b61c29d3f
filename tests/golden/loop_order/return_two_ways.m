-- expect: violated "p"
-- apart: node
-- Two rounds may end the loop, and write different variables.
type node: scalarset(2);
var a, b: array[node] of boolean; on, k, done: boolean;
startstate begin for n: node do a[n] := false; b[n] := false; end; on := false; k := false; done := false; end;
ruleset n: node do rule "a" !done ==> begin a[n] := true; end; rule "b" !done ==> begin b[n] := true; end; end;
rule "first" !done ==> begin done := true; for n: node do if a[n] then on := true; return; elsif b[n] then k := true; return; end; end; end;
invariant "p" (done & (exists i: node do a[i] & !b[i] end) & (exists i: node do b[i] & !a[i] end)) -> !on;
