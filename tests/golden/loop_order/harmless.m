-- expect: holds
-- apart:
-- Loops that people write: resets, counts, sums, searches that return, locals and functions, one element treated
-- differently, a copy of what an element had.
type node : scalarset(2); R : 0..2; rec : record f : boolean; g : R; end;
var a, b : array [node] of boolean; r, old : array [node] of rec; k : 0..3; sum : 0..6; found, all_set : boolean; w : node;
function any_but(x : node) : boolean;
begin for y : node do if y != x & a[y] then return true; end; end; return false; end;
procedure mark(x : node); var y : R; begin if a[x] then y := 1; else y := 0; end; r[x].g := y; r[x].f := y = 1; end;
startstate begin
  for n : node do a[n] := false; b[n] := false; r[n].f := false; r[n].g := 0; old[n] := r[n]; end;
  k := 0; sum := 0; found := false; all_set := false; undefine w;
end;
ruleset m : node do
  rule "flip" begin a[m] := !a[m]; end;
  rule "only" begin w := m; for n : node do if n != m then b[n] := a[m]; else b[n] := false; end; end; end;
  rule "others" begin for n : node do if n != m then b[n] := b[m]; end; end; end;
  rule "me" begin for n : node do if n = m then w := n; k := 0; end; end; end;
end;
rule "reset" begin for n : node do b[n] := false; r[n].g := 0; end; end;
rule "count" begin k := 0; for n : node do if a[n] then k := k + 1; end; end; end;
rule "sum" begin sum := 0; for n : node do sum := sum + r[n].g; end; end;
rule "search" begin found := false; for n : node do if a[n] then found := true; return; end; end; end;
rule "accumulate" begin all_set := true; for n : node do all_set := all_set & a[n]; end; end;
rule "functions" var x : node; begin for n : node do x := n; mark(x); b[x] := any_but(x); end; end;
rule "copies" var c : rec; begin for n : node do c := r[n]; c.f := !c.f; old[n] := c; end; end;
rule "the one" !isundefined(w) ==> begin for n : node do if n = w then b[n] := true; k := 0; end; end; end;
invariant "counts" k <= 3 & sum <= 3;
