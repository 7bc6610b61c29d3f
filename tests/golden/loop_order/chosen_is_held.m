-- expect: holds
-- apart:
-- The message that a rule received is read in the broadcast that it causes, and taken from the network after it, in
-- either branch. New messages go to other places, so the rounds see the same one.
const N : 3; MAX : 4;
type
  proc : scalarset(N); home : enum { dir }; machine : union { home, proc };
  message : record from : machine; hops : 0..1; end;
var
  net : array [machine] of multiset [MAX] of message;
  heard : array [proc] of boolean;
procedure send(dst : machine; from : machine; hops : 0..1);
var m : message;
begin
  assert multisetcount(i : net[dst], true) < MAX;
  m.from := from; m.hops := hops;
  multisetadd(m, net[dst]);
end;
procedure tell_all_but(who : machine);
begin
  for n : machine do
    if n != who & ismember(n, proc) then send(n, who, 1); end;
  end;
end;
procedure receive(m : message; at : machine);
begin
  if ismember(at, home) then tell_all_but(m.from);
  elsif m.hops = 1 then heard[at] := true;
  end;
end;
startstate begin for p : proc do heard[p] := false; end; end;
ruleset p : proc do
  rule "begin" forall n : machine do multisetcount(i : net[n], true) = 0 end & forall q : proc do !heard[q] end ==>
  begin send(dir, p, 0); end;
end;
ruleset p : proc do choose i : net[p] do
  rule "repeat" net[p][i].hops = 0 ==> begin tell_all_but(net[p][i].from); multisetremove(i, net[p]); end;
end; end;
ruleset n : machine do choose i : net[n] do
  rule "receive" begin
    if ismember(n, home) then receive(net[n][i], n); multisetremove(i, net[n]);
    else receive(net[n][i], n); multisetremove(i, net[n]);
    end;
  end;
end; end;
invariant "all but one" exists p : proc do !heard[p] end;
