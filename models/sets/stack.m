-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, NODES=2: holds, 3174 states
-- expect at THREADS=3, NODES=2: holds, 39562 states
--
-- Treiber's lock-free stack (R. K. Treiber: Systems Programming: Coping with Parallelism, IBM Almaden RJ 5118, 1986; here as in
-- M. Herlihy, N. Shavit: The Art of Multiprocessor Programming, 11.2), by any number of threads. cas(x, a, b) makes x equal to b if it is a.
--
--     push(v)                              pop()
--     1  entry := new node(v)              4  first := Top
--     2  first := Top; entry.next := first    if first = Nil: result := empty     [*]
--     3  cas(Top, first, entry)            5  entry := first.next
--        if it failed: 2                   6  cas(Top, first, entry)
--        result := done   [*]                 if it failed: 4
--                                             result := first.value               [*]
--     every method
--     7  return result
--
-- A line is a rule, or one for each outcome. A line has one access to shared memory; what is local goes with the access
-- before it, the choice of a method and a value with line 1 or 4. [*] marks linearization points, where the method of the
-- sequential stack is called: `Seq`, of `depth` values, is its content, `SeqResult` its answer. The memory is garbage-collected: a
-- node is free when it is neither on the stack nor known to a thread; a new node has a `maker` until it is linked; `new
-- node` waits for a free one. Variables that are not in use have a fixed value: pointers Nil.

const
  THREADS : 2;
  NODES   : 2;
  VALUES  : 2;

type
  thread : scalarset(THREADS);
  item   : 1..VALUES;
  block  : scalarset(NODES);
  nil    : enum { Nil };
  node   : union { block, nil };
  place  : 1..NODES;        -- of Seq
  answer : 0..VALUES + 2;   -- none, a value, empty, done
  line   : enum { start, fresh, link, next, unlink, again, reply };

const
  None  : 0;
  Empty : VALUES + 1;
  Done  : VALUES + 2;

var
  Top       : node;
  list      : array [block] of record next : node; val : item; maker : thread; end;
  Seq       : array [place] of answer;
  depth     : 0..NODES;

  pc        : array [thread] of line;
  first     : array [thread] of node;
  entry     : array [thread] of node;
  result    : array [thread] of answer;
  SeqResult : array [thread] of answer;

-- Is n one of the nodes from m on?
function reaches(m : node; n : block) : boolean;
var k : node; found : boolean;
begin
  k := m;
  found := false;
  for i : place do
    if k != Nil then
      if k = n then found := true; end;
      k := list[k].next;
    end;
  end;
  return found;
end;

function is_free(n : block) : boolean;
begin
  return !reaches(Top, n) & isundefined(list[n].maker) & forall t : thread do first[t] != n & entry[t] != n end;
end;

procedure finish(t : thread; r : answer);
begin
  result[t] := r;
  first[t] := Nil;
  entry[t] := Nil;
  pc[t] := reply;
end;

procedure seq_push(t : thread; v : item);
begin
  depth := depth + 1;
  Seq[depth] := v;
  SeqResult[t] := Done;
end;

procedure seq_pop(t : thread);
begin
  if depth = 0 then
    SeqResult[t] := Empty;
  else
    SeqResult[t] := Seq[depth];
    Seq[depth] := None;
    depth := depth - 1;
  end;
end;

startstate "empty stack"
  Top := Nil;
  depth := 0;
  for k : place do Seq[k] := None; end;
  for n : block do
    list[n].next := Nil;
    list[n].val := 1;
    undefine list[n].maker;
  end;
  for t : thread do
    pc[t] := start;
    first[t] := Nil;
    entry[t] := Nil;
    result[t] := None;
    SeqResult[t] := None;
  end;
end;

ruleset t : thread; n : block; v : item do
  rule "1 push: new node"
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
  rule "2 push: read Top"
    pc[t] = fresh ==>
  begin
    first[t] := Top;
    list[entry[t]].next := Top;
    pc[t] := link;
  end;

  rule "3 push: link"
    pc[t] = link & Top = first[t] ==>
  begin
    Top := entry[t];
    seq_push(t, list[entry[t]].val);
    undefine list[entry[t]].maker;
    finish(t, Done);
  end;

  rule "3 push: failed"
    pc[t] = link & Top != first[t] ==>
  begin
    first[t] := Nil;
    list[entry[t]].next := Nil;
    pc[t] := fresh;
  end;

  rule "4 pop: read Top"
    pc[t] = start | pc[t] = again ==>
  begin
    if Top = Nil then
      seq_pop(t);
      finish(t, Empty);
    else
      first[t] := Top;
      pc[t] := next;
    end;
  end;

  rule "5 pop: read next"
    pc[t] = next ==>
  begin
    entry[t] := list[first[t]].next;
    pc[t] := unlink;
  end;

  rule "6 pop: unlink"
    pc[t] = unlink & Top = first[t] ==>
  begin
    Top := entry[t];
    seq_pop(t);
    finish(t, list[first[t]].val);
  end;

  rule "6 pop: failed"
    pc[t] = unlink & Top != first[t] ==>
  begin
    first[t] := Nil;
    entry[t] := Nil;
    pc[t] := again;
  end;

  rule "7 return"
    pc[t] = reply ==>
  begin
    result[t] := None;
    SeqResult[t] := None;
    pc[t] := start;
  end;
end;

-- The k-th node from the bottom of the stack, if it has d nodes: from the top, the (d - k)-th.
function at_depth(d : 0..NODES; k : place) : node;
var m : node;
begin
  m := Top;
  for i : place do
    if i <= d - k & m != Nil then m := list[m].next; end;
  end;
  return m;
end;

invariant "results"
  forall t : thread do pc[t] = reply -> result[t] = SeqResult[t] end;

invariant "contents"
  forall k : place do
    k <= depth ? at_depth(depth, k) != Nil & list[at_depth(depth, k)].val = Seq[k] : Seq[k] = None
  end;
