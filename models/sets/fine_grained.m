-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, ITEMS=2: holds, 1052 states
-- expect at THREADS=3, ITEMS=2: holds, 2619 states
--
-- The fine-grained list-based set (M. Herlihy, N. Shavit: The Art of Multiprocessor Programming, 9.5), modelled after
-- D. Sethi, M. Talupur, D. Schwartz-Narbonne, S. Malik: Parameterized Model Checking of Fine Grained Concurrency, SPIN 2012.
-- The list is sorted, from Head to Tail. Threads go along it hand over hand: a node is unlocked only when its
-- successor is locked; a node is added or removed between two locked ones.
--
--     locate(key)                           add(key)                     remove(key)
--     1  Head.lock(); pred := Head          5  if curr.key = key         8   if curr.key != key
--     2  curr := pred.next                        result := false  [*]         result := false  [*]
--     3  curr.lock()                        6  else entry :=             9   else entry := curr.next
--        while curr.key < key                     new node(key, curr)    10    pred.next := entry
--     4    pred.unlock(); pred := curr      7    pred.next := entry            result := true   [*]
--          curr := pred.next                     result := true    [*]
--          curr.lock()                      contains(key)                every method, at its end
--                                           11 result := curr.key = key  12  curr.unlock()
--                                              [*]                       13  pred.unlock(); return result
--
-- One rule is one line. A line has one access to shared memory; what is local goes with the access before it, the choice of a
-- method and a key with line 1. [*] marks linearization points, where the method of the sequential set is called: `SeqSet` is
-- its content, `SeqResult` its answer (a method that fails changes nothing). The memory is garbage-collected: a node is free
-- when it is neither in the list nor known to a thread, and `new node` waits for a free one. Nodes of a key are
-- interchangeable, so each key has nodes of its own, here a single one: it is free whenever somebody wants it,
-- since curr is unlocked before pred. Variables that are not in use have a fixed value: pointers Head, keys 1.

const
  THREADS : 2;
  ITEMS   : 2;
  Head    : 0;
  Tail    : ITEMS + 1;

type
  thread : scalarset(THREADS);
  item   : 1..ITEMS;
  node   : Head..Tail;          -- the key of a node is its number
  answer : enum { none, no, yes };
  method : enum { idle, add, remove, contains };
  line   : enum { start, next, lock, step, found, link, unlink, unlock_curr, unlock_pred };

var
  list      : array [node] of record next : node; lock : thread; end;  -- an undefined lock is open
  SeqSet    : array [item] of boolean;

  pc        : array [thread] of line;
  call      : array [thread] of method;
  key       : array [thread] of item;
  pred      : array [thread] of node;
  curr      : array [thread] of node;
  entry     : array [thread] of node;
  result    : array [thread] of answer;
  SeqResult : array [thread] of answer;

function say(b : boolean) : answer;
begin
  if b then return yes; else return no; end;
end;

-- Is a node with this key in the list?
function in_list(k : item) : boolean;
var n : node;
begin
  n := Head;
  for i : item do
    if n < k then n := list[n].next; end;
  end;
  return n = k;
end;

function is_free(n : item) : boolean;
begin
  return !in_list(n) & forall t : thread do pred[t] != n & curr[t] != n & entry[t] != n end;
end;

-- The method returns r; its key is not needed any more.
procedure finish(t : thread; r : answer);
begin
  result[t] := r;
  call[t] := idle;
  key[t] := 1;
  entry[t] := Head;
  pc[t] := unlock_curr;
end;

startstate "empty set"
  for n : node do
    list[n].next := Tail;
    undefine list[n].lock;
  end;
  for k : item do SeqSet[k] := false; end;
  for t : thread do
    pc[t] := start;
    call[t] := idle;
    key[t] := 1;
    pred[t] := Head;
    curr[t] := Head;
    entry[t] := Head;
    result[t] := none;
    SeqResult[t] := none;
  end;
end;

-- locate

ruleset t : thread; m : method; k : item do
  rule "1 lock Head"
    m != idle & pc[t] = start & isundefined(list[Head].lock) ==>
  begin
    call[t] := m;
    key[t] := k;
    list[Head].lock := t;
    pc[t] := next;
  end;
end;

ruleset t : thread do
  rule "2 read pred.next"
    pc[t] = next ==>
  begin
    curr[t] := list[pred[t]].next;
    pc[t] := lock;
  end;

  rule "3 lock curr"
    pc[t] = lock & isundefined(list[curr[t]].lock) ==>
  begin
    list[curr[t]].lock := t;
    if curr[t] < key[t] then pc[t] := step; else pc[t] := found; end;
  end;

  rule "4 unlock pred, go on"
    pc[t] = step ==>
  begin
    undefine list[pred[t]].lock;
    pred[t] := curr[t];
    curr[t] := Head;
    pc[t] := next;
  end;

  -- add

  rule "5 add: there already"
    pc[t] = found & call[t] = add & curr[t] = key[t] ==>
  begin
    SeqResult[t] := say(!SeqSet[key[t]]);
    finish(t, no);
  end;

  rule "6 add: new node"
    pc[t] = found & call[t] = add & curr[t] != key[t] & is_free(key[t]) ==>
  begin
    entry[t] := key[t];
    list[key[t]].next := curr[t];
    pc[t] := link;
  end;

  rule "7 add: link"
    pc[t] = link ==>
  begin
    list[pred[t]].next := entry[t];
    SeqResult[t] := say(!SeqSet[key[t]]);
    SeqSet[key[t]] := true;
    finish(t, yes);
  end;

  -- remove

  rule "8 remove: not there"
    pc[t] = found & call[t] = remove & curr[t] != key[t] ==>
  begin
    SeqResult[t] := say(SeqSet[key[t]]);
    finish(t, no);
  end;

  rule "9 remove: read curr.next"
    pc[t] = found & call[t] = remove & curr[t] = key[t] ==>
  begin
    entry[t] := list[curr[t]].next;
    pc[t] := unlink;
  end;

  rule "10 remove: unlink"
    pc[t] = unlink ==>
  begin
    list[pred[t]].next := entry[t];
    SeqResult[t] := say(SeqSet[key[t]]);
    SeqSet[key[t]] := false;
    finish(t, yes);
  end;

  -- contains

  rule "11 contains: look"
    pc[t] = found & call[t] = contains ==>
  begin
    SeqResult[t] := say(SeqSet[key[t]]);
    finish(t, say(curr[t] = key[t]));
  end;

  -- the end of all methods

  rule "12 unlock curr"
    pc[t] = unlock_curr ==>
  begin
    undefine list[curr[t]].lock;
    curr[t] := Head;
    pc[t] := unlock_pred;
  end;

  rule "13 unlock pred, return"
    pc[t] = unlock_pred ==>
  begin
    undefine list[pred[t]].lock;
    pred[t] := Head;
    result[t] := none;
    SeqResult[t] := none;
    pc[t] := start;
  end;
end;

invariant "results"
  forall t : thread do result[t] = SeqResult[t] end;

invariant "contents"
  forall k : item do SeqSet[k] = in_list(k) end;
