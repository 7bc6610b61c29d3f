-- expect: violated "t"
-- expect: violated "u"
-- apart: node
-- The slot that an alias names is kept in a local; it is set free and filled again before the name is used.
type node : scalarset(2); owner : scalarset(2); B : multiset [2] of node;
var box : array [owner] of B; t, u, done : boolean; a : array [node] of boolean; w : node; own : owner;
startstate undefine box; t := false; u := false; done := false; for n : node do a[n] := false; end; undefine w; undefine own; end;
ruleset n : node; o : owner do rule "set" !done & isundefined(own) ==> begin
  multisetadd(n, box[o]); a[n] := true; own := o; end; end;
ruleset o : owner do choose i : box[o] do rule "test" !done & !isundefined(own) & o = own ==> begin
  done := true;
  alias z : box[own][i] do multisetremove(i, box[o]); for m : node do multisetadd(m, box[o]); end; w := z; end;
  if a[w] then t := true; else u := true; end; end; end; end;
invariant "t" !t; invariant "u" !u;
