-- expect: violated "t"
-- expect: violated "u"
-- apart: node
-- A slot that was chosen in a multiset which becomes another one: where its elements lie then depends on their names.
type node : scalarset(2);
var net, net2 : multiset [2] of node; t, u, done : boolean; a : array [node] of boolean; w : node;
startstate undefine net; undefine net2; t := false; u := false; done := false;
  for n : node do a[n] := false; end; undefine w; end;
ruleset n : node; m : node do rule "set" n != m & !done & multisetcount(z : net, true) = 0 ==> begin
  multisetadd(n, net); multisetadd(n, net2); multisetadd(m, net2); a[n] := true; end; end;
choose i : net do rule "test" !done & a[net[i]] ==> begin
  done := true; net := net2; w := net[i];
  if a[w] then t := true; else u := true; end; end; end;
invariant "t" !t; invariant "u" !u;
