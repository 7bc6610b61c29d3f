-- SPDX-License-Identifier: Apache-2.0
-- expect at THREADS=2, ITEMS=2: holds, 4044 states
-- expect at THREADS=3, ITEMS=2: holds, 11244 states
--
-- A set behind a ticket lock (J. Mellor-Crummey, M. Scott: Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors,
-- ACM TOCS 1991), by any number of threads. A thread takes the next ticket, waits until it is served, works on the set item by
-- item, and serves the next. Tickets are numbers modulo TICKETS, and who would be the one too many waits for a ticket.
--
--     every method
--     1  ticket := Next; Next := Next + 1       (one atomic step; waits while TICKETS - 1 are out)
--     2  wait until Serving = ticket
--     3  read the item: old := set[key]
--     4  add: set[key] := true; remove: set[key] := false; contains: nothing      [*]
--     5  Serving := Serving + 1; return result
--
-- A line is a rule, and has one access to shared memory. [*] marks the linearization point: `SeqSet` is the content of the
-- sequential set, `SeqResult` its answer. Variables that are not in use have a fixed value.

const
  THREADS : 2;
  ITEMS   : 2;
  TICKETS : 3;

type
  thread : scalarset(THREADS);
  item   : 1..ITEMS;
  number : 0..TICKETS - 1;
  method : enum { idle, add, remove, contains };
  line   : enum { start, wait, get, put_, serve };

var
  Next      : number;
  Serving   : number;
  set       : array [item] of boolean;
  SeqSet    : array [item] of boolean;

  pc        : array [thread] of line;
  call      : array [thread] of method;
  key       : array [thread] of item;
  ticket    : array [thread] of number;
  old       : array [thread] of boolean;
  SeqResult : array [thread] of boolean;

startstate "empty set"
  Next := 0;
  Serving := 0;
  for k : item do set[k] := false; SeqSet[k] := false; end;
  for t : thread do
    pc[t] := start;
    call[t] := idle;
    key[t] := 1;
    ticket[t] := 0;
    old[t] := false;
    SeqResult[t] := false;
  end;
end;

ruleset t : thread; m : method; k : item do
  rule "1 take a ticket"
    m != idle & pc[t] = start & (Next + 1) % TICKETS != Serving ==>
  begin
    call[t] := m;
    key[t] := k;
    ticket[t] := Next;
    Next := (Next + 1) % TICKETS;
    pc[t] := wait;
  end;
end;

ruleset t : thread do
  rule "2 served"
    pc[t] = wait & Serving = ticket[t] ==>
  begin
    pc[t] := get;
  end;

  rule "3 read the item"
    pc[t] = get ==>
  begin
    old[t] := set[key[t]];
    pc[t] := put_;
  end;

  rule "4 write the item"
    pc[t] = put_ ==>
  begin
    SeqResult[t] := SeqSet[key[t]];
    if call[t] = add then set[key[t]] := true; SeqSet[key[t]] := true; end;
    if call[t] = remove then set[key[t]] := false; SeqSet[key[t]] := false; end;
    pc[t] := serve;
  end;

  rule "5 serve the next"
    pc[t] = serve ==>
  begin
    Serving := (Serving + 1) % TICKETS;
    call[t] := idle;
    key[t] := 1;
    ticket[t] := 0;
    old[t] := false;
    SeqResult[t] := false;
    pc[t] := start;
  end;
end;

invariant "results"
  forall t : thread do pc[t] = serve -> old[t] = SeqResult[t] end;

invariant "contents"
  forall k : item do set[k] = SeqSet[k] end;

invariant "one at a time"
  forall t : thread do forall u : thread do
    t != u & (pc[t] = get | pc[t] = put_ | pc[t] = serve) -> !(pc[u] = get | pc[u] = put_ | pc[u] = serve)
  end end;
