-- expect: violated "run-time error"
-- apart: node
-- A round before the one that returns may fail, one after it not.
type node: scalarset(2);
var a: array[node] of boolean; on: boolean;
startstate begin for n: node do a[n] := false; end; on := false; end;
ruleset n: node do rule "set" !a[n] ==> begin a[n] := true; end; end;
rule "go" (exists n: node do a[n] end) & !on ==> var y: 0..2; begin 
 for n: node do if a[n] then on := true; return; else if y > 0 then on := true; return; end; end; end; end;
