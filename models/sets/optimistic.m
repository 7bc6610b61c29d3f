-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, ITEMS=1: holds, 3214 states
-- expect at THREADS=2, ITEMS=2: holds, 471549 states
--
-- The optimistic list-based set (M. Herlihy, N. Shavit: The Art of Multiprocessor Programming, 9.6), modelled after
-- D. Sethi, M. Talupur, D. Schwartz-Narbonne, S. Malik: Parameterized Model Checking of Fine Grained Concurrency, SPIN 2012.
-- The list is sorted, from Head to Tail. Threads go along it without locks, lock the two nodes they end at, and go along it
-- once more to validate that the first is still in the list and the second still follows it.
--
--     locate(key)                           add(key)                     remove(key)
--     1  pred := Head; curr := pred.next    7  if curr.key = key         10  if curr.key != key
--        while curr.key < key                     result := false  [*]         result := false  [*]
--     2    pred := curr; curr := curr.next  8  else entry :=             11  else entry := curr.next
--     3  pred.lock()                              new node(key, curr)    12    pred.next := entry
--     4  curr.lock(); node := Head          9    pred.next := entry            result := true   [*]
--        while node.key < pred.key               result := true    [*]
--     5    node := node.next                contains(key)                every method, at its end
--        if node != pred: 14, 15, 1         13 result := curr.key = key  14  pred.unlock()
--     6  if pred.next != curr: 14, 15, 1       [*]                       15  curr.unlock(); return result
--
-- One rule is one line. A line has one access to shared memory; what is local goes with the access before it, the choice of a
-- method and a key with line 1. [*] marks linearization points, where the method of the sequential set is called: `SeqSet` is
-- its content, `SeqResult` its answer (a method that fails changes nothing). The memory is garbage-collected: a node is free
-- when it can be reached neither from Head nor from a pointer that a thread will go on from, and no thread points at it
-- (pred.next is read again only when pred is in the list). `new node` waits for a free one. Nodes are interchangeable, so each
-- key has COPIES nodes of its own; for 1 or 2 items as many as there are threads are enough. Variables that are not in use
-- have a fixed value: pointers Head, keys 1.

const
  THREADS : 2;
  ITEMS   : 2;
  COPIES  : 2;
  Head    : 0;
  Tail    : ITEMS * COPIES + 1;

type
  thread : scalarset(THREADS);
  item   : 1..ITEMS;
  node   : Head..Tail;
  block  : 1..ITEMS * COPIES;   -- nodes that are allocated and collected
  answer : enum { none, no, yes };
  method : enum { idle, add, remove, contains };
  line   : enum { start, again, walk, lock_pred, lock_curr, validate, compare, found, link, unlink,
                  unlock_pred, unlock_curr };

var
  list      : array [node] of record next : node; lock : thread; end;  -- an undefined lock is open
  SeqSet    : array [item] of boolean;

  pc        : array [thread] of line;
  call      : array [thread] of method;
  key       : array [thread] of item;
  pred      : array [thread] of node;
  curr      : array [thread] of node;
  entry     : array [thread] of node;   -- also `node` of lines 4 and 5
  result    : array [thread] of answer;
  SeqResult : array [thread] of answer;

function say(b : boolean) : answer;
begin
  if b then return yes; else return no; end;
end;

-- The keys of Head and Tail are 0 and ITEMS + 1.
function key_of(n : node) : 0..ITEMS + 1;
begin
  return (n + COPIES - 1) / COPIES;
end;

-- The first node from n on whose key is k or more.
function search(n : node; k : item) : node;
var m : node;
begin
  m := n;
  for i : item do
    if m <= (k - 1) * COPIES then m := list[m].next; end;   -- m.key < k
  end;
  return m;
end;

function in_list(k : item) : boolean;
begin
  return key_of(search(Head, k)) = k;
end;

function is_free(n : block) : boolean;
begin
  return search(Head, key_of(n)) != n & isundefined(list[n].lock) &
    forall t : thread do pred[t] != n & search(curr[t], key_of(n)) != n & search(entry[t], key_of(n)) != n end;
end;

procedure go_on(t : thread; n : node);
begin
  pred[t] := n;
  curr[t] := list[n].next;
  if key_of(curr[t]) < key[t] then pc[t] := walk; else pc[t] := lock_pred; end;
end;

-- The method returns r; its key is not needed any more.
procedure finish(t : thread; r : answer);
begin
  result[t] := r;
  call[t] := idle;
  key[t] := 1;
  entry[t] := Head;
  pc[t] := unlock_pred;
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
  rule "1 read Head.next"
    m != idle & pc[t] = start ==>
  begin
    call[t] := m;
    key[t] := k;
    go_on(t, Head);
  end;
end;

ruleset t : thread do
  rule "1 read Head.next again"
    pc[t] = again ==>
  begin
    go_on(t, Head);
  end;

  rule "2 read curr.next"
    pc[t] = walk ==>
  begin
    go_on(t, curr[t]);
  end;

  rule "3 lock pred"
    pc[t] = lock_pred & isundefined(list[pred[t]].lock) ==>
  begin
    list[pred[t]].lock := t;
    pc[t] := lock_curr;
  end;

  rule "4 lock curr"
    pc[t] = lock_curr & isundefined(list[curr[t]].lock) ==>
  begin
    list[curr[t]].lock := t;
    if pred[t] = Head then pc[t] := compare; else pc[t] := validate; end;
  end;

  rule "5 validate: read node.next"
    pc[t] = validate ==>
  begin
    entry[t] := list[entry[t]].next;
    if key_of(entry[t]) >= key_of(pred[t]) then
      if entry[t] = pred[t] then pc[t] := compare; else pc[t] := unlock_pred; end;
      entry[t] := Head;
    end;
  end;

  rule "6 validate: read pred.next"
    pc[t] = compare ==>
  begin
    if list[pred[t]].next = curr[t] then pc[t] := found; else pc[t] := unlock_pred; end;
  end;

  -- add

  rule "7 add: there already"
    pc[t] = found & call[t] = add & key_of(curr[t]) = key[t] ==>
  begin
    SeqResult[t] := say(!SeqSet[key[t]]);
    finish(t, no);
  end;
end;

ruleset t : thread; n : block do
  rule "8 add: new node"
    pc[t] = found & call[t] = add & key_of(curr[t]) != key[t] & key_of(n) = key[t] & is_free(n) ==>
  begin
    entry[t] := n;
    list[n].next := curr[t];
    pc[t] := link;
  end;
end;

ruleset t : thread do
  rule "9 add: link"
    pc[t] = link ==>
  begin
    list[pred[t]].next := entry[t];
    SeqResult[t] := say(!SeqSet[key[t]]);
    SeqSet[key[t]] := true;
    finish(t, yes);
  end;

  -- remove

  rule "10 remove: not there"
    pc[t] = found & call[t] = remove & key_of(curr[t]) != key[t] ==>
  begin
    SeqResult[t] := say(SeqSet[key[t]]);
    finish(t, no);
  end;

  rule "11 remove: read curr.next"
    pc[t] = found & call[t] = remove & key_of(curr[t]) = key[t] ==>
  begin
    entry[t] := list[curr[t]].next;
    pc[t] := unlink;
  end;

  rule "12 remove: unlink"
    pc[t] = unlink ==>
  begin
    list[pred[t]].next := entry[t];
    SeqResult[t] := say(SeqSet[key[t]]);
    SeqSet[key[t]] := false;
    finish(t, yes);
  end;

  -- contains

  rule "13 contains: look"
    pc[t] = found & call[t] = contains ==>
  begin
    SeqResult[t] := say(SeqSet[key[t]]);
    finish(t, say(key_of(curr[t]) = key[t]));
  end;

  -- the end of all methods, and of a failed validation

  rule "14 unlock pred"
    pc[t] = unlock_pred ==>
  begin
    undefine list[pred[t]].lock;
    pred[t] := Head;
    pc[t] := unlock_curr;
  end;

  rule "15 unlock curr, return or try again"
    pc[t] = unlock_curr ==>
  begin
    undefine list[curr[t]].lock;
    curr[t] := Head;
    if result[t] = none then pc[t] := again; else pc[t] := start; end;
    result[t] := none;
    SeqResult[t] := none;
  end;
end;

invariant "results"
  forall t : thread do result[t] = SeqResult[t] end;

invariant "contents"
  forall k : item do SeqSet[k] = in_list(k) end;
