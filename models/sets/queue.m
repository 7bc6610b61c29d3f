-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, NODES=2: holds, 2224 states
-- expect at THREADS=2, NODES=3: holds, 62760 states
--
-- The lock-free queue of M. Michael, M. Scott: Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms,
-- PODC 1996 (here as in M. Herlihy, N. Shavit: The Art of Multiprocessor Programming, 10.5), by any number of threads. The first
-- node is a sentinel; Last is the last node or the one before it. cas(x, a, b) makes x equal to b if it is a.
--
--     enqueue(v)                              dequeue()
--     1  entry := new node(v)                 6  first := First
--     2  tail := Last                         7  tail := Last
--     3  read tail.next                       8  entry := first.next
--        if it is not Nil: 5                     if entry = Nil: result := empty            [*]
--     4  cas(tail.next, Nil, entry)           9  if first = tail: cas(Last, tail, entry); 6
--        if it failed: 2                      10 cas(First, first, entry)
--        result := done  [*]                     if it failed: 6
--     5  cas(Last, tail, tail.next)              result := entry.value                      [*]
--        if the node is not linked yet: 2
--     every method
--     11 return result
--
-- A line is a rule, or one for each outcome. A line has one access to shared memory; what is local goes with the access before it,
-- the choice of a method and a value with line 1 or 6. [*] marks linearization points, where the method of the sequential queue
-- is called: `Seq`, of `length` values, is its content, `SeqResult` its answer. At line 8 a node without a successor is the last
-- one, so First is that node too. The memory is garbage-collected: a node is free when it is neither in the queue nor known to a
-- thread; a new node has a `maker` until it is linked; `new node` waits for a free one. Variables that are not in use have a
-- fixed value: pointers Nil.

const
  THREADS : 2;
  NODES   : 3;
  VALUES  : 2;

type
  thread : scalarset(THREADS);
  item   : 1..VALUES;
  block  : scalarset(NODES);
  nil    : enum { Nil };
  node   : union { block, nil };
  place  : 1..NODES;        -- of Seq
  answer : 0..VALUES + 2;   -- none, a value, empty, done
  line   : enum { start, fresh, look, link, help, swing, again, last, next, catch_up, unlink, reply };

const
  None  : 0;
  Empty : VALUES + 1;
  Done  : VALUES + 2;

var
  First     : block;
  Last      : block;
  list      : array [block] of record next : node; val : item; maker : thread; end;
  Seq       : array [place] of answer;
  length    : 0..NODES;

  pc        : array [thread] of line;
  first     : array [thread] of node;
  tail      : array [thread] of node;
  entry     : array [thread] of node;
  result    : array [thread] of answer;
  SeqResult : array [thread] of answer;

-- The k-th node after First; Nil: there is none.
function after_first(k : 0..NODES) : node;
var m : node;
begin
  m := First;
  for i : place do
    if i <= k & m != Nil then m := list[m].next; end;
  end;
  return m;
end;

function is_free(n : block) : boolean;
begin
  return First != n & Last != n & (forall k : place do after_first(k) != n end) & isundefined(list[n].maker) &
    forall t : thread do first[t] != n & tail[t] != n & entry[t] != n end;
end;

procedure finish(t : thread; r : answer);
begin
  result[t] := r;
  first[t] := Nil;
  tail[t] := Nil;
  entry[t] := Nil;
  pc[t] := reply;
end;

procedure retry(t : thread);
begin
  first[t] := Nil;
  tail[t] := Nil;
  entry[t] := Nil;
  pc[t] := again;
end;

procedure seq_enqueue(t : thread; v : item);
begin
  length := length + 1;
  Seq[length] := v;
  SeqResult[t] := Done;
end;

procedure seq_dequeue(t : thread);
begin
  if length = 0 then
    SeqResult[t] := Empty;
  else
    SeqResult[t] := Seq[1];
    for k : place do
      if k < length then Seq[k] := Seq[k + 1]; end;
    end;
    Seq[length] := None;
    length := length - 1;
  end;
end;

ruleset sentinel : block do
  startstate "empty queue"
    First := sentinel;
    Last := sentinel;
    length := 0;
    for k : place do Seq[k] := None; end;
    for n : block do
      list[n].next := Nil;
      list[n].val := 1;
      undefine list[n].maker;
    end;
    for t : thread do
      pc[t] := start;
      first[t] := Nil;
      tail[t] := Nil;
      entry[t] := Nil;
      result[t] := None;
      SeqResult[t] := None;
    end;
  end;
end;

ruleset t : thread; n : block; v : item do
  rule "1 enqueue: new node"
    pc[t] = start & is_free(n) ==>
  begin
    entry[t] := n;
    list[n].val := v;
    list[n].next := Nil;
    list[n].maker := t;
    pc[t] := fresh;
  end;
end;

ruleset t : thread do
  rule "2 enqueue: read Last"
    pc[t] = fresh ==>
  begin
    tail[t] := Last;
    pc[t] := look;
  end;

  rule "3 enqueue: read next"
    pc[t] = look ==>
  begin
    pc[t] := list[tail[t]].next = Nil ? link : help;
  end;

  rule "4 enqueue: link"
    pc[t] = link & list[tail[t]].next = Nil ==>
  begin
    list[tail[t]].next := entry[t];
    undefine list[entry[t]].maker;
    seq_enqueue(t, list[entry[t]].val);
    pc[t] := swing;
  end;

  rule "4 enqueue: failed"
    pc[t] = link & list[tail[t]].next != Nil ==>
  begin
    tail[t] := Nil;
    pc[t] := fresh;
  end;

  rule "5 enqueue: help"
    pc[t] = help ==>
  begin
    if Last = tail[t] then Last := list[tail[t]].next; end;
    tail[t] := Nil;
    pc[t] := fresh;
  end;

  rule "5 enqueue: Last"
    pc[t] = swing ==>
  begin
    if Last = tail[t] then Last := entry[t]; end;
    finish(t, Done);
  end;

  rule "6 dequeue: read First"
    pc[t] = start | pc[t] = again ==>
  begin
    first[t] := First;
    pc[t] := last;
  end;

  rule "7 dequeue: read Last"
    pc[t] = last ==>
  begin
    tail[t] := Last;
    pc[t] := next;
  end;

  rule "8 dequeue: read next"
    pc[t] = next ==>
  begin
    if list[first[t]].next = Nil then
      seq_dequeue(t);
      finish(t, Empty);
    else
      entry[t] := list[first[t]].next;
      pc[t] := first[t] = tail[t] ? catch_up : unlink;
    end;
  end;

  rule "9 dequeue: help"
    pc[t] = catch_up ==>
  begin
    if Last = tail[t] then Last := entry[t]; end;
    retry(t);
  end;

  rule "10 dequeue: unlink"
    pc[t] = unlink & First = first[t] ==>
  begin
    First := entry[t];
    seq_dequeue(t);
    finish(t, list[entry[t]].val);
  end;

  rule "10 dequeue: failed"
    pc[t] = unlink & First != first[t] ==>
  begin
    retry(t);
  end;

  rule "11 return"
    pc[t] = reply ==>
  begin
    result[t] := None;
    SeqResult[t] := None;
    pc[t] := start;
  end;
end;

invariant "results"
  forall t : thread do pc[t] = reply -> result[t] = SeqResult[t] end;

invariant "contents"
  forall k : place do
    k <= length ? after_first(k) != Nil & list[after_first(k)].val = Seq[k] : Seq[k] = None & after_first(k) = Nil
  end;
