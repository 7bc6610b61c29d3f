-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, ITEMS=1: holds, 3000 states
-- expect at THREADS=2, ITEMS=2: holds, 374682 states
--
-- The lazy list-based set (S. Heller, M. Herlihy, V. Luchangco, M. Moir, W. Scherer, N. Shavit: A Lazy Concurrent List-Based Set
-- Algorithm, OPODIS 2005), modelled after D. Sethi, M. Talupur, D. Schwartz-Narbonne, S. Malik: Parameterized Model Checking of
-- Fine Grained Concurrency, SPIN 2012, Fig. 3. The list is sorted, from Head to Tail. Threads go along it without locks and
-- lock the two nodes they end at. A node is marked before it is taken out of the list: an unmarked node is in the list, so
-- `contains` needs no lock at all, and locate no second walk.
--
--     locate(key)                           add(key)                     remove(key)
--     1  pred := Head; curr := pred.next    8  if curr.key = key         11  if curr.key != key
--        while curr.key < key                     result := false  [*]         result := false  [*]
--     2    pred := curr; curr := curr.next  9  else entry :=             12  else curr.marked := true
--     3  pred.lock()                              new node(key, curr)            result := true   [*]
--     4  curr.lock()                        10   pred.next := entry      13    entry := curr.next
--     5  if pred.marked: 18, 19, 1                result := true    [*]   14    pred.next := entry
--     6  if curr.marked: 18, 19, 1
--     7  if pred.next != curr: 18, 19, 1    contains(key)                add and remove, at their end
--                                           15 curr := Head.next         18  pred.unlock()
--                                              while curr.key < key      19  curr.unlock()
--                                           16   curr := curr.next       every method
--                                              if curr.key != key        20  return result
--                                                result := false  [aux]
--                                           17 result := !curr.marked
--                                              [*] or [aux]
--
-- One rule is one line (18 and 19 of a method that succeeds are also those of a failed validation; 20 goes with 19 where there
-- is one). A line has one access to shared memory; what is local goes with the access before it, the choice of a method and a
-- key with line 1 or 15. [*] marks linearization points, where the method of the sequential set is called: `SeqSet` is its
-- content, `SeqResult` its answer (a method that fails changes nothing). An unsuccessful `contains` has no fixed linearization
-- point: the key must have been absent from SeqSet at some time since the call, which `aux` remembers [aux]; if it was not,
-- SeqResult becomes yes. The memory is garbage-collected: a node is free when it can be reached neither from Head nor from a
-- pointer that a thread will go on from, and no thread points at it (pred.next is read again only when pred is in the list).
-- `new node` waits for a free one. Nodes are interchangeable, so each key has COPIES nodes of its own; as many as there are
-- threads are enough. Variables that are not in use have a fixed value: pointers Head, keys 1.

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
  line   : enum { start, again, walk, lock_pred, lock_curr, pred_marked, curr_marked, pred_next, found, link, read, unlink,
                  pass, look, unlock_pred, unlock_curr, reply };

var
  list      : array [node] of record next : node; marked : boolean; lock : thread; end;  -- an undefined lock is open
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
  return search(Head, key_of(n)) != n & isundefined(list[n].lock) &
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

procedure go_on(t : thread; n : node);
begin
  pred[t] := n;
  curr[t] := list[n].next;
  if key_of(curr[t]) < key[t] then pc[t] := walk; else pc[t] := lock_pred; end;
end;

-- The method will return r; its key is not needed any more.
procedure finish(t : thread; r : answer; next : line);
begin
  result[t] := r;
  call[t] := idle;
  key[t] := 1;
  aux[t] := false;
  pc[t] := next;
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
    curr[t] := Head;
    finish(t, no, reply);
  end;
end;

startstate "empty set"
  for n : node do
    list[n].next := Tail;
    list[n].marked := n != Head & n != Tail;
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
    aux[t] := false;
  end;
end;

-- locate

ruleset t : thread; m : method; k : item do
  rule "1 read Head.next"
    (m = add | m = remove) & pc[t] = start ==>
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
    pc[t] := pred_marked;
  end;

  rule "5 validate: read pred.marked"
    pc[t] = pred_marked ==>
  begin
    if list[pred[t]].marked then pc[t] := unlock_pred; else pc[t] := curr_marked; end;
  end;

  rule "6 validate: read curr.marked"
    pc[t] = curr_marked ==>
  begin
    if list[curr[t]].marked then pc[t] := unlock_pred; else pc[t] := pred_next; end;
  end;

  rule "7 validate: read pred.next"
    pc[t] = pred_next ==>
  begin
    if list[pred[t]].next = curr[t] then pc[t] := found; else pc[t] := unlock_pred; end;
  end;

  -- add

  rule "8 add: there already"
    pc[t] = found & call[t] = add & key_of(curr[t]) = key[t] ==>
  begin
    SeqResult[t] := say(!SeqSet[key[t]]);
    finish(t, no, unlock_pred);
  end;
end;

ruleset t : thread; n : block do
  rule "9 add: new node"
    pc[t] = found & call[t] = add & key_of(curr[t]) != key[t] & key_of(n) = key[t] & is_free(n) ==>
  begin
    entry[t] := n;
    list[n].next := curr[t];
    list[n].marked := false;
    pc[t] := link;
  end;
end;

ruleset t : thread do
  rule "10 add: link"
    pc[t] = link ==>
  begin
    list[pred[t]].next := entry[t];
    seq_add(t, key[t]);
    entry[t] := Head;
    finish(t, yes, unlock_pred);
  end;

  -- remove

  rule "11 remove: not there"
    pc[t] = found & call[t] = remove & key_of(curr[t]) != key[t] ==>
  begin
    SeqResult[t] := say(SeqSet[key[t]]);
    finish(t, no, unlock_pred);
  end;

  rule "12 remove: mark"
    pc[t] = found & call[t] = remove & key_of(curr[t]) = key[t] ==>
  begin
    list[curr[t]].marked := true;
    seq_remove(t, key[t]);
    finish(t, yes, read);
  end;

  rule "13 remove: read curr.next"
    pc[t] = read ==>
  begin
    entry[t] := list[curr[t]].next;
    pc[t] := unlink;
  end;

  rule "14 remove: unlink"
    pc[t] = unlink ==>
  begin
    list[pred[t]].next := entry[t];
    entry[t] := Head;
    pc[t] := unlock_pred;
  end;
end;

-- contains

ruleset t : thread; k : item do
  rule "15 contains: read Head.next"
    pc[t] = start ==>
  begin
    call[t] := contains;
    key[t] := k;
    aux[t] := !SeqSet[k];
    pass_to(t, list[Head].next);
  end;
end;

ruleset t : thread do
  rule "16 contains: read curr.next"
    pc[t] = pass ==>
  begin
    pass_to(t, list[curr[t]].next);
  end;

  rule "17 contains: read curr.marked"
    pc[t] = look ==>
  begin
    if list[curr[t]].marked then
      SeqResult[t] := say(!aux[t]);
      finish(t, no, reply);
    else
      SeqResult[t] := say(SeqSet[key[t]]);
      finish(t, yes, reply);
    end;
    curr[t] := Head;
  end;

  -- the end of all methods, and of a failed validation

  rule "18 unlock pred"
    pc[t] = unlock_pred ==>
  begin
    undefine list[pred[t]].lock;
    pred[t] := Head;
    pc[t] := unlock_curr;
  end;

  rule "19 unlock curr, return or try again"
    pc[t] = unlock_curr ==>
  begin
    undefine list[curr[t]].lock;
    curr[t] := Head;
    if result[t] = none then pc[t] := again; else pc[t] := start; end;
    result[t] := none;
    SeqResult[t] := none;
  end;

  rule "20 contains: return"
    pc[t] = reply ==>
  begin
    result[t] := none;
    SeqResult[t] := none;
    pc[t] := start;
  end;
end;

invariant "results"
  forall t : thread do result[t] = SeqResult[t] end;

invariant "contents"
  forall k : item do SeqSet[k] = in_set(k) end;
