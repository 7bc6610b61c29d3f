-- expect: violated "run-time error"
-- apart: node
-- A round before the one that returns may fail, one after it not.
type node: scalarset(2);
var a: array[node] of boolean; p: array[node] of node; on: boolean;
startstate begin for n: node do a[n] := false; end; undefine p; on := false; end;
ruleset n: node do rule "set" !a[n] & isundefined(p[n]) ==> begin a[n] := true; end; 
 rule "def" isundefined(p[n]) ==> begin p[n] := n; end; end;
rule "go" (exists n: node do a[n] & !isundefined(p[n]) end) & !on ==> var x: array[node] of boolean; begin 
 for n: node do x[p[n]] := true; if a[n] then on := true; return; end; end; end;
