-- expect: holds
-- apart:
-- Adding what is not there yet, and removing it by a parameter of a narrower type: each round looks for its own element.
const N : 3;
type proc : scalarset(N); home : enum { dir }; machine : union { home, proc };
var sharers : multiset [N] of machine; saved : array [proc] of multiset [N] of machine; few : multiset [N] of proc;
  owner : machine;
procedure drop(p : proc); begin multisetremovepred(i : few, few[i] = p); end;
procedure save(at : machine); begin
  for n : machine do
    if n != owner & multisetcount(i : sharers, sharers[i] = n) > 0 & n != at
       & multisetcount(i : saved[at], saved[at][i] = n) = 0 then multisetadd(n, saved[at]); end;
  end;
  for n : machine do
    if ismember(n, proc) & multisetcount(i : few, few[i] = n) != 0 then drop(n); end;
  end;
end;
startstate begin owner := dir; end;
ruleset p : proc do
  rule "share" multisetcount(i : sharers, sharers[i] = p) = 0 ==>
    begin multisetadd(p, sharers); if multisetcount(i : few, few[i] = p) = 0 then multisetadd(p, few); end; end;
  rule "own" begin owner := p; end;
  rule "save" begin save(p); end;
end;
invariant "not oneself" forall p : proc do multisetcount(i : saved[p], saved[p][i] = p) = 0 end;
