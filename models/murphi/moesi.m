-- SPDX-License-Identifier: Apache-2.0
-- expect: holds
-- expect at PROCS=2: holds, 518 states
--
-- MOESI: a snooping cache coherence protocol for one line. As MESI, with an owner: a dirty copy may be shared without
-- memory knowing of it; the owner answers instead of memory, which is told when the owner gives its copy up.

const
  PROCS  : 3;
  VALUES : 2;

type
  proc  : scalarset(PROCS);
  datum : scalarset(VALUES);
  mode  : enum { I, S, E, O, M };
  order : enum { idle, read, write };

var
  cache   : array [proc] of record state : mode; content : datum; end;
  wish    : array [proc] of order;    -- what a processor waits for the bus for
  bus     : record what : order; who : proc; line : datum; shared : boolean; supplied : boolean; end;
  unheard : array [proc] of boolean;  -- who has not seen the bus yet
  memory  : datum;
  latest  : datum;                    -- what was written last

function is_valid(s : mode) : boolean;
begin
  return s != I;
end;

-- What memory must hear of before the copy goes.
function is_dirty(s : mode) : boolean;
begin
  return s = M | s = O;
end;

ruleset d : datum do
  startstate "caches empty"
    for p : proc do
      cache[p].state := I;
      undefine cache[p].content;
      wish[p] := idle;
      unheard[p] := false;
    end;
    clear bus;
    undefine bus.who;
    undefine bus.line;
    memory := d;
    latest := d;
  end;
end;

ruleset p : proc do
  rule "want to read"
    wish[p] = idle & cache[p].state = I ==>
  begin
    wish[p] := read;
  end;

  rule "want to write"
    wish[p] = idle & cache[p].state != M & cache[p].state != E ==>
  begin
    wish[p] := write;
  end;

  rule "win the bus"
    bus.what = idle & wish[p] != idle ==>
  begin
    bus.what := wish[p];
    bus.who := p;
    bus.shared := false;
    bus.supplied := false;
    undefine bus.line;
    for q : proc do unheard[q] := q != p; end;
  end;

  rule "snoop"
    bus.what != idle & unheard[p] ==>
  begin
    unheard[p] := false;
    if is_valid(cache[p].state) then
      if cache[p].state = M | cache[p].state = O then
        bus.line := cache[p].content;
        bus.supplied := true;
      end;
      bus.shared := true;
      if bus.what = write then
        cache[p].state := I;
        undefine cache[p].content;
      elsif is_dirty(cache[p].state) then
        cache[p].state := O;
      else
        cache[p].state := S;
      end;
    end;
  end;

  rule "finish a read"
    bus.what = read & bus.who = p & forall q : proc do !unheard[q] end ==>
  begin
    if bus.supplied then cache[p].content := bus.line; else cache[p].content := memory; end;
    if bus.shared then cache[p].state := S; else cache[p].state := E; end;
    wish[p] := idle;
    clear bus;
    undefine bus.who;
    undefine bus.line;
  end;

  rule "evict"
    wish[p] = idle & bus.what = idle & is_valid(cache[p].state) ==>
  begin
    if is_dirty(cache[p].state) then memory := cache[p].content; end;
    cache[p].state := I;
    undefine cache[p].content;
  end;
end;

ruleset p : proc; d : datum do
  rule "finish a write"
    bus.what = write & bus.who = p & forall q : proc do !unheard[q] end ==>
  begin
    cache[p].state := M;
    cache[p].content := d;
    latest := d;
    wish[p] := idle;
    clear bus;
    undefine bus.who;
    undefine bus.line;
  end;

  rule "write again"
    bus.what = idle & (cache[p].state = M | cache[p].state = E) ==>
  begin
    cache[p].state := M;
    cache[p].content := d;
    latest := d;
  end;
end;

invariant "one writer"
  forall p : proc do forall q : proc do
    p != q & (cache[p].state = M | cache[p].state = E) -> cache[q].state = I
  end end;

invariant "the latest value"
  bus.what = idle ->
    (forall p : proc do is_valid(cache[p].state) -> cache[p].content = latest end) &
    ((forall p : proc do !is_dirty(cache[p].state) end) -> memory = latest);

cover "a line in two caches"
  exists p : proc do exists q : proc do p != q & is_valid(cache[p].state) & is_valid(cache[q].state) end end;
