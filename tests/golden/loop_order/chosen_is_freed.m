-- expect: violated "p"
-- apart: node
-- The first round fills the place of the message that was removed: only it finds the place empty.
type node : scalarset(2); msg : record dst : node; end;
var net : multiset [3] of msg; a, b : array [node] of boolean; done : boolean;
startstate begin for n : node do a[n] := false; b[n] := false; end; done := false; end;
ruleset n : node do
  rule "send" !done & multisetcount(i : net, true) = 0 ==>
    var m : msg; begin m.dst := n; multisetadd(m, net); a[n] := true; end;
end;
choose i : net do
  rule "all" !done ==> var m : msg; begin
    multisetremove(i, net);
    for n : node do b[n] := !isundefined(net[i].dst); m.dst := n; multisetadd(m, net); end;
    done := true;
  end;
end;
invariant "p" done -> exists n : node do a[n] & !b[n] end;
