-- expect: holds
-- apart:
-- A broadcast over a union to the sharers, as courses write it: multisets of sharers and messages, a network of
-- multisets, checks that there is room, and functions. Rounds add and remove, and no order shows.
const N : 3; MAX : 4;
type
  proc : scalarset(N); home : enum { dir }; machine : union { home, proc };
  kind : enum { inv, ack };
  message : record k : kind; from : machine; end;
var
  net : array [machine] of multiset [MAX] of message;
  sharers : multiset [N] of machine;
  shared : array [proc] of boolean;
  acks : 0..N;
procedure send(k : kind; dst : machine; from : machine);
var msg : message;
begin
  assert "too many messages" multisetcount(i : net[dst], true) < MAX;
  msg.k := k; msg.from := from;
  multisetadd(msg, net[dst]);
end;
function is_sharer(n : machine) : boolean;
begin return multisetcount(i : sharers, sharers[i] = n) > 0; end;
procedure add_sharer(n : machine);
begin if multisetcount(i : sharers, sharers[i] = n) = 0 then multisetadd(n, sharers); end; end;
procedure remove_sharer(n : machine);
begin multisetremovepred(i : sharers, sharers[i] = n); end;
procedure invalidate(but : machine);
begin
  for n : machine do
    if ismember(n, proc) & is_sharer(n) & n != but then
      acks := acks + 1;
      send(inv, n, dir);
      remove_sharer(n);
    end;
  end;
end;
startstate begin
  for p : proc do shared[p] := false; end;
  acks := 0;
end;
ruleset p : proc do
  rule "read" acks = 0 & !shared[p] ==> begin shared[p] := true; add_sharer(p); end;
  rule "write" acks = 0 & shared[p] ==> begin invalidate(p); end;
  choose i : net[p] do
    rule "invalidated" begin
      shared[p] := false; send(ack, dir, p); multisetremove(i, net[p]);
    end;
  end;
end;
choose i : net[dir] do
  rule "acknowledged" begin acks := acks - 1; multisetremove(i, net[dir]); end;
end;
invariant "no one forgotten" acks = 0 -> forall p : proc do shared[p] -> multisetcount(i : sharers, sharers[i] = p) = 1 end;
