-- expect: violated "p"
-- apart: node
-- What was chosen is a message of x's network; the loop counts those of another one, which it fills.
type node : scalarset(2); msg : record dst : node; end;
var net : array [node] of multiset [2] of msg; at : node; a, b : array [node] of boolean; done : boolean;
startstate begin for n : node do a[n] := false; b[n] := false; end; undefine at; done := false; end;
ruleset n : node; x : node do
  rule "send" !done & isundefined(at) & n != x ==>
    var m : msg; begin m.dst := n; multisetadd(m, net[x]); at := n; a[n] := true; end;
end;
ruleset x : node do choose i : net[x] do
  rule "all" !done ==> var m : msg; begin
    for n : node do
      b[n] := multisetcount(k : net[at], true) = 0;
      m.dst := n; multisetadd(m, net[at]);
    end;
    done := true;
  end;
end; end;
invariant "p" done -> exists n : node do a[n] & b[n] end;
