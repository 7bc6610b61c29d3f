-- expect: violated "run-time error"
-- apart: node
-- That f has a value at i says nothing after i changed: one round fails, another one returns.
type node: scalarset(2);
var f: array[node] of boolean; q: array[node] of node; m: node; done: boolean;
startstate begin undefine f; undefine q; undefine m; done := false; end;
ruleset n: node do rule "m" isundefined(m) ==> begin m := n; f[n] := true; end; end;
ruleset n: node; k: node do rule "q" isundefined(q[n]) ==> begin q[n] := k; end; end;
rule "go" !done & !isundefined(m) & forall n: node do !isundefined(q[n]) end & exists n: node do q[n] = m & n != m end & exists n: node do q[n] != m end ==> var i: node; begin 
 for n: node do
   i := m;
   if !isundefined(f[i]) then
     i := q[n];
     if f[i] then done := true; return; end;
   end; end; end;
