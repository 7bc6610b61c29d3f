-- SPDX-License-Identifier: Apache-2.0
-- expect "mutual exclusion": violated
--
-- Peterson's algorithm for any number of processes (1981): a process climbs levels; at each it lets the last comer
-- wait as long as somebody is at the same level or higher.
-- Seeded bug: a process goes on as soon as nobody is higher, though somebody may be at its own level.

const
  PROCS : 4;

type
  proc  : scalarset(PROCS);
  level : 0..PROCS - 1;
  place : enum { away, enter, announce, wait, critical, leave };

var
  at    : array [proc] of place;
  stage : array [proc] of level;         -- 0: not competing
  last  : array [1..PROCS - 1] of proc;  -- who came last to a level
  goal  : array [proc] of level;         -- the level a process is about to reach

startstate "all away"
  for p : proc do
    at[p] := away;
    stage[p] := 0;
    goal[p] := 0;
  end;
  undefine last;
end;

ruleset p : proc do
  rule "want in"
    at[p] = away ==>
  begin
    goal[p] := 1;
    at[p] := enter;
  end;

  rule "show the level"
    at[p] = enter ==>
  begin
    stage[p] := goal[p];
    at[p] := announce;
  end;

  rule "come last"
    at[p] = announce ==>
  begin
    last[stage[p]] := p;
    at[p] := wait;
  end;

  rule "go on"
    at[p] = wait &
    (last[stage[p]] != p | forall q : proc do q != p -> stage[q] <= stage[p] end) ==>
  begin
    if stage[p] < PROCS - 1 then
      goal[p] := stage[p] + 1;
      at[p] := enter;
    else
      at[p] := critical;
    end;
  end;

  rule "leave"
    at[p] = critical ==>
  begin
    at[p] := leave;
  end;

  rule "away again"
    at[p] = leave ==>
  begin
    stage[p] := 0;
    goal[p] := 0;
    at[p] := away;
  end;
end;

invariant "mutual exclusion"
  forall p : proc do forall q : proc do
    p != q -> !(at[p] = critical & at[q] = critical)
  end end;

liveness "somebody can always get in"
  exists p : proc do at[p] = critical end;
