-- SPDX-License-Identifier: Apache-2.0
-- expect "the latest value": violated
--
-- A directory protocol in the manner of Stanford FLASH: the home of a line forwards requests to a dirty owner, who
-- answers the requester directly and tells the home afterwards; requests that come at a bad time are refused and
-- tried again; invalidations are acknowledged to the home; copies are written back or dropped at any time.
-- Seeded bug: an invalidation that overtakes the copy it is meant for is forgotten.

const
  NODES  : 3;
  VALUES : 2;

type
  node    : scalarset(NODES);
  datum   : scalarset(VALUES);
  right   : enum { invalid, shared, exclusive };
  demand  : enum { nothing, get, getx };
  message : enum { none, get_home, getx_home, get_owner, getx_owner, copy, sole_copy, refuse };
  recall  : enum { quiet, invalidate, acknowledge };
  packet  : record what : message; owner : node; content : datum; end;
  report  : enum { silent, now_shared, now_owned, refused };

var
  cache    : array [node] of record state : right; content : datum; end;
  waiting  : array [node] of demand;
  spoilt   : array [node] of boolean;  -- an invalidation overtook the copy that is on its way
  net      : array [node] of packet;   -- the request of a node, or the answer to it
  recalls  : array [node] of recall;
  tidings  : record what : report; who : node; content : datum; end;  -- of an owner to the home
  back     : record valid : boolean; content : datum; end;            -- a line written back
  pending  : boolean;                                                 -- the home waits for something
  dirty    : boolean;
  owner    : node;
  sharers  : array [node] of boolean;
  memory   : datum;
  latest   : datum;

procedure forget(var p : packet);
begin
  undefine p;
  p.what := none;
end;

procedure refuse_request(n : node);
begin
  undefine net[n];
  net[n].what := refuse;
end;

ruleset d : datum do
  startstate "nobody has a copy"
    for n : node do
      cache[n].state := invalid;
      undefine cache[n].content;
      waiting[n] := nothing;
      spoilt[n] := false;
      forget(net[n]);
      recalls[n] := quiet;
      sharers[n] := false;
    end;
    undefine tidings;
    tidings.what := silent;
    undefine back;
    back.valid := false;
    pending := false;
    dirty := false;
    undefine owner;
    memory := d;
    latest := d;
  end;
end;

ruleset n : node; d : datum do
  rule "an owner writes"
    cache[n].state = exclusive ==>
  begin
    cache[n].content := d;
    latest := d;
  end;
end;

ruleset n : node do
  -- requests

  rule "ask for a copy"
    waiting[n] = nothing & net[n].what = none & cache[n].state = invalid ==>
  begin
    waiting[n] := get;
    net[n].what := get_home;
  end;

  rule "ask for the exclusive copy"
    waiting[n] = nothing & net[n].what = none & cache[n].state != exclusive ==>
  begin
    waiting[n] := getx;
    net[n].what := getx_home;
    cache[n].state := invalid;
    undefine cache[n].content;
  end;

  -- the home

  rule "home: a copy is asked for"
    net[n].what = get_home ==>
  begin
    if pending | dirty & owner = n then
      refuse_request(n);
    elsif dirty then
      pending := true;
      net[n].what := get_owner;
      net[n].owner := owner;
    else
      sharers[n] := true;
      net[n].what := copy;
      net[n].content := memory;
    end;
  end;

  rule "home: the exclusive copy is asked for"
    net[n].what = getx_home ==>
  begin
    if pending | dirty & owner = n then
      refuse_request(n);
    elsif dirty then
      pending := true;
      net[n].what := getx_owner;
      net[n].owner := owner;
    else
      pending := exists s : node do s != n & sharers[s] end;
      for s : node do
        if s != n & sharers[s] then recalls[s] := invalidate; end;
        sharers[s] := false;
      end;
      dirty := true;
      owner := n;
      net[n].what := sole_copy;
      net[n].content := memory;
    end;
  end;

  rule "home: a copy is gone"
    recalls[n] = acknowledge ==>
  begin
    recalls[n] := quiet;
    if forall s : node do recalls[s] = quiet end then pending := false; end;
  end;
end;

ruleset n : node; o : node do
  -- the owner of a dirty line, who answers n

  rule "owner: share with the requester"
    net[n].what = get_owner & net[n].owner = o & tidings.what = silent & cache[o].state = exclusive ==>
  begin
    cache[o].state := shared;
    tidings.what := now_shared;
    tidings.who := n;
    tidings.content := cache[o].content;
    net[n].what := copy;
    net[n].content := cache[o].content;
    undefine net[n].owner;
  end;

  rule "owner: hand over to the requester"
    net[n].what = getx_owner & net[n].owner = o & tidings.what = silent & cache[o].state = exclusive ==>
  begin
    net[n].what := sole_copy;
    net[n].content := cache[o].content;
    cache[o].state := invalid;
    undefine cache[o].content;
    tidings.what := now_owned;
    tidings.who := n;
    undefine net[n].owner;
  end;

  rule "owner: no copy any more"
    (net[n].what = get_owner | net[n].what = getx_owner) & net[n].owner = o & tidings.what = silent &
    cache[o].state != exclusive ==>
  begin
    tidings.what := refused;
    refuse_request(n);
  end;
end;

ruleset n : node do
  -- answers

  rule "refused"
    net[n].what = refuse ==>
  begin
    net[n].what := none;
    waiting[n] := nothing;
    spoilt[n] := false;
  end;

  rule "a copy arrives"
    net[n].what = copy ==>
  begin
    if !spoilt[n] then
      cache[n].state := shared;
      cache[n].content := net[n].content;
    end;
    forget(net[n]);
    waiting[n] := nothing;
    spoilt[n] := false;
  end;

  rule "the exclusive copy arrives"
    net[n].what = sole_copy ==>
  begin
    cache[n].state := exclusive;
    cache[n].content := net[n].content;
    forget(net[n]);
    waiting[n] := nothing;
    spoilt[n] := false;
  end;

  rule "an invalidation arrives"
    recalls[n] = invalidate ==>
  begin
    recalls[n] := acknowledge;
    if cache[n].state = shared then
      cache[n].state := invalid;
      undefine cache[n].content;
    end;
  end;

  -- giving copies up

  rule "write back"
    cache[n].state = exclusive & !back.valid ==>
  begin
    back.valid := true;
    back.content := cache[n].content;
    cache[n].state := invalid;
    undefine cache[n].content;
  end;

  rule "drop a copy"
    cache[n].state = shared & waiting[n] = nothing ==>
  begin
    cache[n].state := invalid;
    undefine cache[n].content;
  end;
end;

rule "home: the owner shared its copy"
  tidings.what = now_shared ==>
begin
  pending := false;
  dirty := false;
  memory := tidings.content;
  sharers[owner] := true;
  sharers[tidings.who] := true;
  undefine owner;
  undefine tidings;
  tidings.what := silent;
end;

rule "home: the owner handed its copy over"
  tidings.what = now_owned ==>
begin
  pending := false;
  if dirty then owner := tidings.who; end;
  undefine tidings;
  tidings.what := silent;
end;

rule "home: the owner had no copy any more"
  tidings.what = refused ==>
begin
  pending := false;
  undefine tidings;
  tidings.what := silent;
end;

rule "home: a line comes back"
  back.valid ==>
begin
  dirty := false;
  undefine owner;
  memory := back.content;
  undefine back;
  back.valid := false;
end;

invariant "one owner"
  forall a : node do forall b : node do
    a != b & cache[a].state = exclusive -> cache[b].state != exclusive
  end end;

invariant "the latest value"
  (!dirty -> memory = latest) &
  forall n : node do
    (cache[n].state = exclusive -> cache[n].content = latest) &
    (cache[n].state = shared & recalls[n] = quiet -> cache[n].content = latest)
  end;
