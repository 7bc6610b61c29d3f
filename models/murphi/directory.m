-- SPDX-License-Identifier: Apache-2.0
-- expect: holds
-- expect at PROCS=2: holds, 1490 states
--
-- MSI with a directory: cache coherence for one line, over a network that reorders messages. Every node has a multiset
-- of messages that are on their way to it. The home node serves one request at a time; the others stay in the network
-- until the cache that was served says that it is done. A writer hears from every sharer that its copy is gone. Shared
-- copies are dropped without a word.

const
  PROCS  : 3;
  VALUES : 2;
  NET    : PROCS + 1;

type
  proc    : scalarset(PROCS);
  place   : enum { Home };
  node    : union { place, proc };
  datum   : scalarset(VALUES);
  count   : 0 .. PROCS;
  kind    : enum { GetS, GetM, PutM, Done,                       -- to the home node
                   FwdGetS, FwdGetM, Inv, InvAck, Data, PutAck };
  message : record
    what    : kind;
    src     : node;   -- who sent it; of FwdGetS, FwdGetM and Inv: who asked
    content : datum;
    acks    : count;  -- Data: how many copies are being invalidated
  end;
  mode    : enum { I, S, M, IS, IM, SM, MI, II };
  side    : enum { HI, HS, HM };

var
  net    : array [node] of multiset [NET] of message;
  home   : record state : side; busy : boolean; sharers : multiset [PROCS] of proc; owner : proc; memory : datum; end;
  cache  : array [proc] of record state : mode; content : datum; has_data : boolean; wanted : count; got : count; end;
  latest : datum;     -- what was written last

procedure send(what : kind; dst : node; src : node);
var m : message;
begin
  assert multisetcount(i : net[dst], true) < NET "the network is full";
  m.what := what;
  m.src := src;
  multisetadd(m, net[dst]);
end;

procedure send_data(what : kind; dst : node; src : node; content : datum; acks : count);
var m : message;
begin
  assert multisetcount(i : net[dst], true) < NET "the network is full";
  m.what := what;
  m.src := src;
  m.content := content;
  m.acks := acks;
  multisetadd(m, net[dst]);
end;

function is_sharer(p : proc) : boolean;
begin
  return multisetcount(i : home.sharers, home.sharers[i] = p) > 0;
end;

procedure add_sharer(p : proc);
begin
  if !is_sharer(p) then multisetadd(p, home.sharers); end;
end;

procedure remove_sharer(p : proc);
begin
  multisetremovepred(i : home.sharers, home.sharers[i] = p);
end;

procedure invalidate_all_but(writer : node);
begin
  for n : node do
    if ismember(n, proc) & is_sharer(n) then
      if n != writer then send(Inv, n, writer); end;
      remove_sharer(n);
    end;
  end;
end;

-- ---- the home node

procedure home_get_shared(p : proc);
begin
  if home.state = HM then
    send(FwdGetS, home.owner, p);
    add_sharer(home.owner);
    undefine home.owner;
  else
    send_data(Data, p, Home, home.memory, 0);
  end;
  add_sharer(p);
  home.state := HS;
  home.busy := true;
end;

procedure home_get_modified(p : proc);
begin
  if home.state = HM then
    send(FwdGetM, home.owner, p);
  else
    send_data(Data, p, Home, home.memory, multisetcount(i : home.sharers, home.sharers[i] != p));
    invalidate_all_but(p);
  end;
  home.owner := p;
  home.state := HM;
  home.busy := true;
end;

-- A cache that was asked for its copy on the way gave it away: what it wrote back is old.
procedure home_put(p : proc; content : datum);
begin
  if home.state = HM & home.owner = p then
    home.memory := content;
    home.state := HI;
    undefine home.owner;
  end;
  send(PutAck, p, Home);
end;

procedure home_receive(m : message);
begin
  switch m.what
  case GetS: home_get_shared(m.src);
  case GetM: home_get_modified(m.src);
  case PutM: home_put(m.src, m.content);
  case Done:
    home.busy := false;
    if home.state = HS then home.memory := m.content; end;
  else error "home does not know this message";
  end;
end;

-- ---- caches

procedure become(p : proc; state : mode);
begin
  cache[p].state := state;
  cache[p].wanted := 0;
  cache[p].got := 0;
  cache[p].has_data := false;
end;

procedure drop(p : proc; state : mode);
begin
  cache[p].state := state;
  undefine cache[p].content;
end;

procedure finish_write(p : proc);
begin
  if cache[p].has_data & cache[p].got = cache[p].wanted then
    become(p, M);
    send(Done, Home, p);
  end;
end;

procedure take_data(p : proc; m : message);
begin
  cache[p].content := m.content;
  switch cache[p].state
  case IS:
    become(p, S);
    send_data(Done, Home, p, m.content, 0);
  case IM, SM:
    cache[p].wanted := m.acks;
    cache[p].has_data := true;
    finish_write(p);
  else error "data that nobody asked for";
  end;
end;

procedure give(p : proc; asker : node; is_shared : boolean);
begin
  assert cache[p].state = M | cache[p].state = MI "asked for a copy that is not there";
  send_data(Data, asker, p, cache[p].content, 0);
  if cache[p].state = MI then drop(p, II);
  elsif is_shared then cache[p].state := S;
  else drop(p, I);
  end;
end;

procedure invalidate(p : proc; writer : node);
begin
  switch cache[p].state
  case S: drop(p, I);
  case SM: drop(p, IM);
  case M, MI: error "a copy that was written is invalidated";
  end;
  send(InvAck, writer, p);
end;

procedure cache_receive(p : proc; m : message);
begin
  switch m.what
  case Data: take_data(p, m);
  case FwdGetS: give(p, m.src, true);
  case FwdGetM: give(p, m.src, false);
  case Inv: invalidate(p, m.src);
  case InvAck:
    cache[p].got := cache[p].got + 1;
    finish_write(p);
  case PutAck: drop(p, I);
  else error "a cache does not know this message";
  end;
end;

-- ---- rules

ruleset p : proc do
  rule "want to read"
    cache[p].state = I ==>
  begin
    send(GetS, Home, p);
    cache[p].state := IS;
  end;

  rule "want to write"
    cache[p].state = I | cache[p].state = S ==>
  begin
    send(GetM, Home, p);
    cache[p].state := cache[p].state = I ? IM : SM;
  end;

  rule "drop"
    cache[p].state = S ==>
  begin
    drop(p, I);
  end;

  rule "write back"
    cache[p].state = M ==>
  begin
    send_data(PutM, Home, p, cache[p].content, 0);
    cache[p].state := MI;
  end;

  ruleset d : datum do
    rule "write"
      cache[p].state = M ==>
    begin
      cache[p].content := d;
      latest := d;
    end;
  end;
end;

ruleset n : node do
  choose i : net[n] do
    alias m : net[n][i] do
      rule "receive"
        !ismember(n, place) | !home.busy | m.what = Done ==>
      begin
        if ismember(n, place) then home_receive(m);
        else cache_receive(n, m);
        end;
        multisetremove(i, net[n]);
      end;
    end;
  end;
end;

ruleset d : datum do
  startstate "caches empty"
    undefine net;
    undefine home;
    home.state := HI;
    home.busy := false;
    home.memory := d;
    for p : proc do
      undefine cache[p].content;
      become(p, I);
    end;
    latest := d;
  end;
end;

-- ---- what must hold

invariant "one writer"
  forall p : proc do cache[p].state = M ->
    forall q : proc do p = q | (cache[q].state != M & cache[q].state != S & cache[q].state != SM) end
  end;

invariant "the latest value"
  forall p : proc do
    cache[p].state = S | cache[p].state = M | cache[p].state = SM & !cache[p].has_data -> cache[p].content = latest
  end;

invariant "memory is up to date"
  home.state != HM & !home.busy -> home.memory = latest;

invariant "sharers are known"
  !home.busy -> forall p : proc do cache[p].state = S -> is_sharer(p) end;

liveness "home can always become free" !home.busy;
