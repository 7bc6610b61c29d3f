-- expect: violated "run-time error"
-- apart: node
-- That f has a value at i says nothing after i changed: one round fails, another one returns.
type node: scalarset(3);
var a: array[node] of boolean; f: array[node] of boolean; p: array[node] of node; q: array[node] of node; on: boolean;
startstate begin for n: node do a[n] := false; p[n] := n; q[n] := n; end; on := false; end;
ruleset n: node do rule "set" isundefined(f[n]) ==> begin f[n] := true; end; end;
ruleset n: node; k: node do rule "q" q[n] = n ==> begin q[n] := k; end; end;
rule "go" !on ==> var i: node; begin 
 for n: node do
   i := p[n];
   if !isundefined(f[i]) then
     i := q[n];
     if f[i] then on := true; return; end;
   end; end; end;
