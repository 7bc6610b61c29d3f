-- SPDX-License-Identifier: Apache-2.0
--
-- The lazy list of Heller and others (2005), as models/sets/lazy.m, on a heap: a node
-- is a sentinel or an element of a scalarset, and a rule of its own collects what
-- nobody points to. For measuring symmetry of nodes that point to each other.

const
  THREADS : 2;
  KEYS    : 2;
  NODES   : 8;

type
  thread   : scalarset(THREADS);
  cell     : scalarset(NODES);
  sentinel : enum { head, tail };
  node     : union { sentinel, cell };
  key      : 0 .. KEYS + 1;
  user_key : 1 .. KEYS;
  none     : enum { free };
  holder   : union { none, thread };
  place    : enum { idle, search, lock_pred, lock_curr, check, act, unlink, done_curr, done_pred };
  op       : enum { add, remove, contains };

var
  at     : array [thread] of place;
  what   : array [thread] of op;
  wanted : array [thread] of user_key;
  pred   : array [thread] of node;
  curr   : array [thread] of node;
  retry  : array [thread] of boolean;
  item   : array [node] of key;
  next   : array [node] of node;
  marked : array [node] of boolean;
  lock   : array [node] of holder;

function in_use(c : cell) : boolean;
begin
  return (exists n : node do !isundefined(next[n]) & next[n] = c end)
    | (exists t : thread do !isundefined(pred[t]) & pred[t] = c | !isundefined(curr[t]) & curr[t] = c end);
end;

procedure finish(t : thread);
begin
  at[t] := idle;
  undefine what[t]; undefine wanted[t]; undefine pred[t]; undefine curr[t];
  undefine retry[t];
end;

startstate "empty"
  undefine item; undefine next; undefine marked; undefine lock;
  for t : thread do finish(t); end;
  item[head] := 0; item[tail] := KEYS + 1;
  next[head] := tail;
  marked[head] := false; marked[tail] := false;
  lock[head] := free; lock[tail] := free;
end;

ruleset t : thread do
  ruleset k : user_key; o : op do
    rule "call" at[t] = idle ==>
    begin
      what[t] := o; wanted[t] := k; pred[t] := head; curr[t] := next[head];
      at[t] := search;
    end;
  end;

  rule "walk" at[t] = search & item[curr[t]] < wanted[t] ==>
  begin
    pred[t] := curr[t];
    curr[t] := next[curr[t]];
  end;

  rule "found" at[t] = search & item[curr[t]] >= wanted[t] ==>
  begin
    if what[t] = contains then finish(t); else at[t] := lock_pred; end;
  end;

  rule "lock pred" at[t] = lock_pred & lock[pred[t]] = free ==>
  begin lock[pred[t]] := t; at[t] := lock_curr; end;

  rule "lock curr" at[t] = lock_curr & lock[curr[t]] = free ==>
  begin lock[curr[t]] := t; at[t] := check; end;

  rule "validate" at[t] = check ==>
  begin
    retry[t] := marked[pred[t]] | marked[curr[t]] | next[pred[t]] != curr[t];
    if retry[t] then at[t] := done_curr; else at[t] := act; end;
  end;

  ruleset c : cell do
    rule "insert" at[t] = act & what[t] = add & item[curr[t]] != wanted[t] & isundefined(item[c]) & !in_use(c) ==>
    begin
      item[c] := wanted[t]; next[c] := curr[t]; marked[c] := false; lock[c] := free;
      next[pred[t]] := c;
      at[t] := done_curr;
    end;
  end;

  rule "mark" at[t] = act & what[t] = remove & item[curr[t]] = wanted[t] ==>
  begin marked[curr[t]] := true; at[t] := unlink; end;

  rule "unlink" at[t] = unlink ==>
  begin next[pred[t]] := next[curr[t]]; at[t] := done_curr; end;

  rule "nothing to do" at[t] = act & (what[t] = add) = (item[curr[t]] = wanted[t]) ==>
  begin at[t] := done_curr; end;

  rule "unlock curr" at[t] = done_curr ==>
  begin lock[curr[t]] := free; at[t] := done_pred; end;

  rule "unlock pred" at[t] = done_pred ==>
  begin
    lock[pred[t]] := free;
    if retry[t] then
      pred[t] := head; curr[t] := next[head]; undefine retry[t]; at[t] := search;
    else finish(t); end;
  end;
end;

ruleset c : cell do
  rule "collect" !isundefined(item[c]) & !in_use(c) ==>
  begin undefine item[c]; undefine next[c]; undefine marked[c]; undefine lock[c]; end;
end;

invariant "sorted"
  forall n : node do
    !isundefined(item[n]) & !isundefined(next[n]) -> item[n] < item[next[n]]
  end;
