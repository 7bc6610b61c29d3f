-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, ITEMS=1: holds, 1992 states
-- expect at THREADS=3, ITEMS=1: holds, 80355 states
-- expect at THREADS=2, ITEMS=2: holds, 2311410 states
--
-- The lock-free list-based set (T. Harris: A Pragmatic Implementation of Non-Blocking Linked-Lists, DISC 2001; M. Michael: High
-- Performance Dynamic Lock-Free Hash Tables and List-Based Sets, SPAA 2002; here as in M. Herlihy, N. Shavit: The Art of
-- Multiprocessor Programming, 9.8), modelled after D. Sethi, M. Talupur, D. Schwartz-Narbonne, S. Malik: Parameterized Model
-- Checking of Fine Grained Concurrency, SPIN 2012. The list is sorted, from Head to Tail. Pointer and mark of a node are one
-- word, and cas(n, a, b) makes the word of n (b, unmarked) if it is (a, unmarked). A node is marked before it is taken out of
-- the list; whoever meets a marked node on the way to a key takes it out.
--
--     find(key)                               add(key)                     remove(key)
--     1  pred := Head; curr := pred.next [r]  2  if curr.key = key         2  if curr.key != key
--     2  read curr.next, curr.marked                result := false  [*]         result := false  [r]
--        if marked:                           4  else entry :=             6  else entry := curr.next
--     3    cas(pred, curr, curr.next)               new node(key, curr)    7    mark curr if it has (entry, unmarked)
--          if it failed: 1                    5    cas(pred, curr, entry)         if it failed: 1
--          curr := curr.next; 2  [r]               if it failed: 1                result := true   [*]
--        if curr.key < key:                        result := true   [*]    8    cas(pred, curr, entry)
--          pred := curr; curr := curr.next
--          2  [r]                             contains(key)
--                                             9  curr := Head.next
--                                                while curr.key < key
--                                             10   curr := curr.next
--                                                if curr.key != key then result := false  [aux]
--     every method                            11 result := !curr.marked                   [*] or [aux]
--     12  return result
--
-- A line is a rule, or one for each outcome. A line has one access to shared memory; what is local goes with the access before
-- it, the choice of a method and a key with line 1 or 9. [*] marks linearization points, where the method of the sequential
-- set is called: `SeqSet` is its content, `SeqResult` its answer (a method that fails changes nothing). An unsuccessful remove
-- is linearized where pred.next = curr, beyond the key, was seen last [r]. An unsuccessful `contains` has no fixed
-- linearization point: the key must have been absent from SeqSet at some time since the call, which `aux` remembers [aux]; if
-- it was not, SeqResult becomes yes. The memory is garbage-collected: a node is free when it can be reached neither from Head
-- nor from a pointer that a thread will go on from, and no thread points at it (pred.next is used only when pred is in the
-- list); a new node has a `maker` until it is linked. `new node` waits for a free one. Nodes are interchangeable, so each key
-- has COPIES nodes of its own. Variables that are not in use have a fixed value: pointers Head, keys 1.

const
  THREADS : 2;
  ITEMS   : 2;
  COPIES  : 3;
  Head    : 0;
  Tail    : ITEMS * COPIES + 1;

type
  thread : scalarset(THREADS);
  item   : 1..ITEMS;
  node   : Head..Tail;
  block  : 1..ITEMS * COPIES;   -- nodes that are allocated and collected
  answer : enum { none, no, yes };
  method : enum { idle, add, remove, contains };
  line   : enum { start, again, visit, snip, found, link, mark, unlink, pass, look, reply };

var
  list      : array [node] of record next : node; marked : boolean; maker : thread; end;
  SeqSet    : array [item] of boolean;

  pc        : array [thread] of line;
  call      : array [thread] of method;
  key       : array [thread] of item;
  pred      : array [thread] of node;
  curr      : array [thread] of node;
  entry     : array [thread] of node;
  result    : array [thread] of answer;
  SeqResult : array [thread] of answer;
  aux       : array [thread] of boolean;  -- contains: the key was absent at some time

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

function in_set(k : item) : boolean;
begin
  return key_of(search(Head, k)) = k & !list[search(Head, k)].marked;
end;

function is_free(n : block) : boolean;
begin
  return search(Head, key_of(n)) != n & isundefined(list[n].maker) &
    forall t : thread do pred[t] != n & search(curr[t], key_of(n)) != n & entry[t] != n end;
end;

procedure seq_add(t : thread; k : item);
begin
  SeqResult[t] := say(!SeqSet[k]);
  SeqSet[k] := true;
end;

procedure seq_remove(t : thread; k : item);
begin
  SeqResult[t] := say(SeqSet[k]);
  SeqSet[k] := false;
  for u : thread do
    if call[u] = contains & key[u] = k then aux[u] := true; end;
  end;
end;

-- pred.next = curr was seen: if that is beyond the key, a remove may be unsuccessful because of it.
procedure visit_next(t : thread; n : node);
begin
  pred[t] := n;
  curr[t] := list[n].next;
  entry[t] := Head;
  if call[t] = remove & key_of(curr[t]) > key[t] then SeqResult[t] := say(SeqSet[key[t]]); end;
  pc[t] := visit;
end;

procedure try_again(t : thread);
begin
  pred[t] := Head;
  curr[t] := Head;
  entry[t] := Head;
  SeqResult[t] := none;
  pc[t] := again;
end;

-- The method returns r; of its variables only the result is needed any more.
procedure finish(t : thread; r : answer);
begin
  result[t] := r;
  call[t] := idle;
  key[t] := 1;
  aux[t] := false;
  pred[t] := Head;
  curr[t] := Head;
  entry[t] := Head;
  pc[t] := reply;
end;

procedure pass_to(t : thread; n : node);
begin
  curr[t] := n;
  if key_of(n) < key[t] then
    pc[t] := pass;
  elsif key_of(n) = key[t] then
    pc[t] := look;
  else
    SeqResult[t] := say(!aux[t]);
    finish(t, no);
  end;
end;

startstate "empty set"
  for n : node do
    list[n].next := Tail;
    list[n].marked := n != Head & n != Tail;
    undefine list[n].maker;
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
    aux[t] := false;
  end;
end;

-- find

ruleset t : thread; m : method; k : item do
  rule "1 read Head.next"
    (m = add | m = remove) & pc[t] = start ==>
  begin
    call[t] := m;
    key[t] := k;
    visit_next(t, Head);
  end;
end;

ruleset t : thread do
  rule "1 read Head.next again"
    pc[t] = again ==>
  begin
    visit_next(t, Head);
  end;

  rule "2 read curr: marked"
    pc[t] = visit & list[curr[t]].marked ==>
  begin
    entry[t] := list[curr[t]].next;
    pc[t] := snip;
  end;

  rule "2 read curr: before the key"
    pc[t] = visit & !list[curr[t]].marked & key_of(curr[t]) < key[t] ==>
  begin
    visit_next(t, curr[t]);
  end;

  rule "2 read curr: at the key or beyond it"
    pc[t] = visit & !list[curr[t]].marked & (call[t] = remove ? key_of(curr[t]) = key[t] : key_of(curr[t]) > key[t]) ==>
  begin
    pc[t] := found;
  end;

  rule "2 add: there already"
    pc[t] = visit & !list[curr[t]].marked & call[t] = add & key_of(curr[t]) = key[t] ==>
  begin
    SeqResult[t] := say(!SeqSet[key[t]]);
    finish(t, no);
  end;

  rule "2 remove: not there"
    pc[t] = visit & !list[curr[t]].marked & call[t] = remove & key_of(curr[t]) > key[t] ==>
  begin
    finish(t, no);
  end;

  rule "3 take out curr, which is marked"
    pc[t] = snip & list[pred[t]].next = curr[t] & !list[pred[t]].marked ==>
  begin
    list[pred[t]].next := entry[t];
    visit_next(t, pred[t]);
  end;

  rule "3 take out curr: failed"
    pc[t] = snip & (list[pred[t]].next != curr[t] | list[pred[t]].marked) ==>
  begin
    try_again(t);
  end;
end;

-- add

ruleset t : thread; n : block do
  rule "4 add: new node"
    pc[t] = found & call[t] = add & key_of(n) = key[t] & is_free(n) ==>
  begin
    entry[t] := n;
    list[n].next := curr[t];
    list[n].marked := false;
    list[n].maker := t;
    pc[t] := link;
  end;
end;

ruleset t : thread do
  rule "5 add: link"
    pc[t] = link & list[pred[t]].next = curr[t] & !list[pred[t]].marked ==>
  begin
    list[pred[t]].next := entry[t];
    undefine list[entry[t]].maker;
    seq_add(t, key[t]);
    finish(t, yes);
  end;

  rule "5 add: link failed"
    pc[t] = link & (list[pred[t]].next != curr[t] | list[pred[t]].marked) ==>
  begin
    undefine list[entry[t]].maker;
    list[entry[t]].marked := true;   -- as any node that is not in use
    try_again(t);
  end;

  -- remove

  rule "6 remove: read curr.next"
    pc[t] = found & call[t] = remove ==>
  begin
    entry[t] := list[curr[t]].next;
    pc[t] := mark;
  end;

  rule "7 remove: mark curr"
    pc[t] = mark & list[curr[t]].next = entry[t] & !list[curr[t]].marked ==>
  begin
    list[curr[t]].marked := true;
    seq_remove(t, key[t]);
    result[t] := yes;
    pc[t] := unlink;
  end;

  rule "7 remove: mark failed"
    pc[t] = mark & (list[curr[t]].next != entry[t] | list[curr[t]].marked) ==>
  begin
    try_again(t);
  end;

  rule "8 remove: take out curr"
    pc[t] = unlink & list[pred[t]].next = curr[t] & !list[pred[t]].marked ==>
  begin
    list[pred[t]].next := entry[t];
    finish(t, yes);
  end;

  rule "8 remove: somebody else will take it out"
    pc[t] = unlink & (list[pred[t]].next != curr[t] | list[pred[t]].marked) ==>
  begin
    finish(t, yes);
  end;
end;

-- contains

ruleset t : thread; k : item do
  rule "9 contains: read Head.next"
    pc[t] = start ==>
  begin
    call[t] := contains;
    key[t] := k;
    aux[t] := !SeqSet[k];
    pass_to(t, list[Head].next);
  end;
end;

ruleset t : thread do
  rule "10 contains: read curr.next"
    pc[t] = pass ==>
  begin
    pass_to(t, list[curr[t]].next);
  end;

  rule "11 contains: read curr.marked"
    pc[t] = look ==>
  begin
    if list[curr[t]].marked then
      SeqResult[t] := say(!aux[t]);
      finish(t, no);
    else
      SeqResult[t] := say(SeqSet[key[t]]);
      finish(t, yes);
    end;
  end;

  rule "12 return"
    pc[t] = reply ==>
  begin
    result[t] := none;
    SeqResult[t] := none;
    pc[t] := start;
  end;
end;

invariant "results"
  forall t : thread do result[t] != none | pc[t] = reply -> result[t] = SeqResult[t] end;

invariant "contents"
  forall k : item do SeqSet[k] = in_set(k) end;
