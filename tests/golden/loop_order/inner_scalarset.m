-- expect: violated "p"
-- expect: violated "p2"
-- apart: node owner
-- Both loops remember the last one.
type node: scalarset(2); owner: scalarset(2);
var a: array[node] of array[owner] of boolean; w, last: owner;
startstate begin for n: node do for p: owner do a[n][p] := false; end; end; undefine w; for p: owner do last := p; end; end;
ruleset n: node; p: owner do rule "set" isundefined(w) ==> begin a[n][p] := !a[n][p]; end; end;
rule "pick" isundefined(w) ==> begin for n: node do for p: owner do if a[n][p] then w := p; end; end; end; end;
invariant "p" !isundefined(w) & (forall n: node do exists p: owner do a[n][p] & forall q: owner do q != p -> !a[n][q] end end end) & (forall p: owner do exists n: node do a[n][p] end end) -> w = last;
invariant "p2" !isundefined(w) & (forall n: node do exists p: owner do a[n][p] & forall q: owner do q != p -> !a[n][q] end end end) & (forall p: owner do exists n: node do a[n][p] end end) -> w != last;
