-- expect: violated "p"
-- apart: node
-- Which message lies where the one that was removed lay depends on the order of rounds.
type node : scalarset(2); msg : record dst : node; end;
var net : multiset [2] of msg; a : array [node] of boolean; w : node; done : boolean;
startstate begin for n : node do a[n] := false; end; undefine w; done := false; end;
ruleset n : node do
  rule "send" !done & multisetcount(i : net, true) = 0 ==>
    var m : msg; begin m.dst := n; multisetadd(m, net); a[n] := true; end;
end;
choose i : net do
  rule "all" !done ==> var m : msg; begin
    multisetremove(i, net);
    for n : node do m.dst := n; multisetadd(m, net); end;
    w := net[i].dst; done := true;
  end;
end;
invariant "p" done -> a[w];
