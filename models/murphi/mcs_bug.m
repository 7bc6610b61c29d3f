-- SPDX-License-Identifier: Apache-2.0
-- expect deadlock: violated
--
-- The queue lock of Mellor-Crummey and Scott (1991): processes wait in a list, each spinning on a flag of its own.
-- Seeded bug: whoever finds no successor leaves at once, also when one is about to link itself; it then waits for ever.

const
  PROCS : 4;

type
  proc  : scalarset(PROCS);
  none  : enum { nobody };
  link  : union { proc, none };
  place : enum { away, swap, join, spin, critical, look, drop, await, pass };

var
  at          : array [proc] of place;
  next        : array [proc] of link;
  locked      : array [proc] of boolean;
  predecessor : array [proc] of link;
  tail        : link;

startstate "the lock is free"
  for p : proc do
    at[p] := away;
    next[p] := nobody;
    locked[p] := false;
    undefine predecessor[p];
  end;
  tail := nobody;
end;

ruleset p : proc do
  rule "prepare"
    at[p] = away ==>
  begin
    next[p] := nobody;
    at[p] := swap;
  end;

  rule "swap the tail"
    at[p] = swap ==>
  begin
    predecessor[p] := tail;
    tail := p;
    if predecessor[p] = nobody then
      at[p] := critical;
    else
      locked[p] := true;
      at[p] := join;
    end;
  end;

  rule "link behind the predecessor"
    at[p] = join ==>
  begin
    next[predecessor[p]] := p;
    at[p] := spin;
  end;

  rule "spin"
    at[p] = spin & !locked[p] ==>
  begin
    at[p] := critical;
  end;

  rule "leave"
    at[p] = critical ==>
  begin
    undefine predecessor[p];
    at[p] := look;
  end;

  rule "look for a successor"
    at[p] = look ==>
  begin
    if next[p] = nobody then at[p] := drop; else at[p] := pass; end;
  end;

  rule "compare and swap the tail"
    at[p] = drop ==>
  begin
    if tail = p then
      tail := nobody;
      at[p] := away;
    else
      at[p] := away;
    end;
  end;

  rule "wait for the link"
    at[p] = await & next[p] != nobody ==>
  begin
    at[p] := pass;
  end;

  rule "pass the lock on"
    at[p] = pass ==>
  begin
    locked[next[p]] := false;
    at[p] := away;
  end;
end;

invariant "mutual exclusion"
  forall p : proc do forall q : proc do
    p != q -> !(at[p] = critical & at[q] = critical)
  end end;

invariant "the tail is in the queue"
  forall p : proc do tail = p -> at[p] != away end;

liveness "the lock can always become free"
  tail = nobody;
