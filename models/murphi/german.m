-- SPDX-License-Identifier: Apache-2.0
-- expect: holds, 131112 orbits
-- expect at CLIENTS=2: holds, 3390 states
--
-- German's cache coherence protocol, as S. German posed it to the verification community in 2000: a home node
-- grants shared or exclusive copies of one line to clients over three channels per client (requests, answers of the
-- home, acknowledgements). The data path carries a value; `latest` remembers what was written last.

const
  CLIENTS : 5;
  VALUES  : 2;

type
  client : scalarset(CLIENTS);
  datum  : scalarset(VALUES);
  right  : enum { invalid, shared, exclusive };
  order  : enum { none, ask_shared, ask_exclusive, invalidate, acknowledge, grant_shared, grant_exclusive };
  packet : record what : order; content : datum; end;
  line   : record mode : right; content : datum; end;

var
  cache     : array [client] of line;
  request   : array [client] of packet;   -- client to home
  answer    : array [client] of packet;   -- home to client: grants and invalidations
  reply     : array [client] of packet;   -- client to home: acknowledgements, with the data of an owner
  holders   : array [client] of boolean;  -- who may have a copy, as the home knows
  recalled  : array [client] of boolean;  -- whose copy is still to be recalled
  owned     : boolean;                    -- one of the holders is exclusive
  serving   : order;                      -- the request that is being served
  requester : client;
  memory    : datum;
  latest    : datum;

ruleset d : datum do
  startstate "nobody has a copy"
    for c : client do
      cache[c].mode := invalid;
      undefine cache[c].content;
      request[c].what := none;
      answer[c].what := none;
      undefine answer[c].content;
      reply[c].what := none;
      undefine reply[c].content;
      undefine request[c].content;
      holders[c] := false;
      recalled[c] := false;
    end;
    owned := false;
    serving := none;
    undefine requester;
    memory := d;
    latest := d;
  end;
end;

ruleset c : client; d : datum do
  rule "an owner writes"
    cache[c].mode = exclusive ==>
  begin
    cache[c].content := d;
    latest := d;
  end;
end;

ruleset c : client do
  rule "ask for a shared copy"
    request[c].what = none & cache[c].mode = invalid ==>
  begin
    request[c].what := ask_shared;
  end;

  rule "ask for the exclusive copy"
    request[c].what = none & cache[c].mode != exclusive ==>
  begin
    request[c].what := ask_exclusive;
  end;

  rule "the home takes up a request"
    serving = none & request[c].what != none ==>
  begin
    serving := request[c].what;
    request[c].what := none;
    requester := c;
    for o : client do recalled[o] := holders[o]; end;
  end;

  rule "the home recalls a copy"
    recalled[c] & answer[c].what = none &
    (serving = ask_exclusive | serving = ask_shared & owned) ==>
  begin
    answer[c].what := invalidate;
    recalled[c] := false;
  end;

  rule "a client gives up its copy"
    answer[c].what = invalidate & reply[c].what = none ==>
  begin
    answer[c].what := none;
    reply[c].what := acknowledge;
    if cache[c].mode = exclusive then reply[c].content := cache[c].content; end;
    cache[c].mode := invalid;
    undefine cache[c].content;
  end;

  rule "the home hears that a copy is gone"
    serving != none & reply[c].what = acknowledge ==>
  begin
    reply[c].what := none;
    holders[c] := false;
    if owned then
      owned := false;
      memory := reply[c].content;
      undefine reply[c].content;
    end;
  end;

  rule "the home grants a shared copy"
    serving = ask_shared & requester = c & !owned & answer[c].what = none ==>
  begin
    answer[c].what := grant_shared;
    answer[c].content := memory;
    holders[c] := true;
    serving := none;
    undefine requester;
  end;

  rule "the home grants the exclusive copy"
    serving = ask_exclusive & requester = c & !owned & answer[c].what = none &
    forall o : client do !holders[o] end ==>
  begin
    answer[c].what := grant_exclusive;
    answer[c].content := memory;
    holders[c] := true;
    owned := true;
    serving := none;
    undefine requester;
  end;

  rule "a shared copy arrives"
    answer[c].what = grant_shared ==>
  begin
    answer[c].what := none;
    cache[c].mode := shared;
    cache[c].content := answer[c].content;
    undefine answer[c].content;
  end;

  rule "the exclusive copy arrives"
    answer[c].what = grant_exclusive ==>
  begin
    answer[c].what := none;
    cache[c].mode := exclusive;
    cache[c].content := answer[c].content;
    undefine answer[c].content;
  end;
end;

invariant "control"
  forall a : client do forall b : client do
    a != b & cache[a].mode = exclusive -> cache[b].mode = invalid
  end end;

invariant "data"
  (!owned -> memory = latest) &
  forall c : client do cache[c].mode != invalid -> cache[c].content = latest end;
