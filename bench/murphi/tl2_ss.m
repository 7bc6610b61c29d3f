-- TL2 × StrictSerializability, the product that `parvis check models/tm/tl2.pv --property strictly_serializable
-- --symmetry off` explores, written by hand in Murphi so that Rumur can be run beside it.
--
-- Threads and locations are ranges, not scalarsets: no symmetry. `validated + commit` is one step, as in tl2.pv.
-- At 2 and 2 it has 47,464 states.

const
  Threads: 2;
  Locs: 2;

type
  Thread: 1 .. Threads;
  Loc: 1 .. Locs;

var
  aborted: array [Thread] of boolean;
  rs, ws, ls, ms: array [Thread] of array [Loc] of boolean;
  -- the specification
  live, pend: array [Thread] of boolean;
  srs, sws, prs, pws: array [Thread] of array [Loc] of boolean;
  before: array [Thread] of array [Thread] of boolean;

function active(t: Thread): boolean; begin
  return exists v: Loc do rs[t][v] | ws[t][v] end;
end;

function overtakes(t: Thread; u: Thread): boolean; begin
  return u != t & exists v: Loc do rs[t][v] & ws[u][v] end;
end;

function precedes(a: Thread; t: Thread): boolean; begin
  return before[a][t]
    | (a != t & exists v: Loc do srs[a][v] & sws[t][v] end)
    | exists v: Loc do pws[a][v] & sws[t][v] end;
end;

procedure begin_spec(t: Thread); begin
  if !live[t] then
    for a: Thread do
      if pend[a] then before[a][t] := true; end;
    end;
    live[t] := true;
  end;
end;

procedure reset_system(t: Thread); begin
  aborted[t] := false;
  for v: Loc do
    rs[t][v] := false; ws[t][v] := false; ls[t][v] := false; ms[t][v] := false;
  end;
end;

procedure reset_spec(t: Thread); begin
  live[t] := false;
  pend[t] := false;
  for v: Loc do
    srs[t][v] := false; sws[t][v] := false; prs[t][v] := false; pws[t][v] := false;
  end;
  for a: Thread do
    before[t][a] := false; before[a][t] := false;
  end;
end;

procedure commit_system(t: Thread);
var gone, busy: array [Thread] of boolean;
begin
  for u: Thread do
    gone[u] := overtakes(t, u);
    busy[u] := active(u);
  end;
  for u: Thread do
    if gone[u] then
      aborted[u] := true;
      for v: Loc do rs[u][v] := false; ws[u][v] := false; end;
    elsif busy[u] then
      for v: Loc do
        if ws[t][v] then ms[u][v] := true; end;
      end;
    end;
  end;
  reset_system(t);
end;

procedure commit_spec(t: Thread);
var first: array [Thread] of boolean;
begin
  for a: Thread do first[a] := a != t & precedes(a, t); end;
  for a: Thread do
    if first[a] then
      pend[a] := true;
      for v: Loc do
        if prs[t][v] | sws[t][v] then prs[a][v] := true; end;
        if pws[t][v] | sws[t][v] | srs[t][v] then pws[a][v] := true; end;
      end;
      for b: Thread do
        if before[t][b] then before[a][b] := true; end;
      end;
    end;
  end;
  reset_spec(t);
end;

ruleset t: Thread; v: Loc do
  rule "read" !aborted[t] & (ms[t][v] -> ws[t][v]) ==>
  begin
    if !ws[t][v] then rs[t][v] := true; end;
    begin_spec(t);
    if !sws[t][v] then
      srs[t][v] := true;
      for a: Thread do
        if prs[a][v] then before[a][t] := true; end;
      end;
    end;
  end;

  rule "write" !aborted[t] ==>
  begin
    ws[t][v] := true;
    begin_spec(t);
    sws[t][v] := true;
  end;

  rule "lock" !aborted[t] & ws[t][v] ==>
  begin
    ls[t][v] := true;
    for u: Thread do
      if u != t & ls[u][v] then aborted[u] := true; end;
    end;
  end;
end;

ruleset t: Thread do
  rule "commit"
    !aborted[t]
    & (forall v: Loc do ws[t][v] -> ls[t][v] end)
    & !(exists v: Loc do rs[t][v] & ms[t][v] end)
  ==>
  begin
    assert !precedes(t, t);
    commit_spec(t);
    commit_system(t);
  end;

  rule "abort" true ==>
  begin
    reset_system(t);
    reset_spec(t);
  end;
end;

startstate begin
  for t: Thread do
    reset_system(t);
    reset_spec(t);
  end;
end;
