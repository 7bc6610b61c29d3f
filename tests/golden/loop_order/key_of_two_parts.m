-- expect: violated "x"
-- apart: node
-- A slot that two rounds find by different parts of its key.
type node: scalarset(2); slot: scalarset(2);
var g: array[slot] of array[boolean] of node; p: array[node] of boolean; h: array[slot] of node; done: boolean;
startstate begin undefine g; undefine h; for n: node do p[n] := false; end; done := false; end;
ruleset n: node; s: slot; b: boolean do rule "set" !done & isundefined(g[s][b]) ==> begin g[s][b] := n; end; end;
ruleset n: node do rule "p" !done & !p[n] ==> begin p[n] := true; end; end;
rule "go" !done & forall s: slot do forall b: boolean do !isundefined(g[s][b]) end end ==> var i: boolean; begin 
 for n: node do
   for b: boolean do for s: slot do if g[s][b] = n then if p[n] = b then h[s] := n; end; end; end; end;
 end; done := true; end;
invariant "x" done -> forall s: slot; n: node; k: node do (k != n & g[s][true] = n & p[n] & g[s][false] = k & !p[k]) -> h[s] = k end;
