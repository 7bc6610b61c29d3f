-- expect: violated "p"
-- apart: node
-- An inner variable is another value in each inner round, no constant.
type node: scalarset(2); E: enum {ea, eb};
var a: array[node] of E; w: E; done: boolean;
ruleset n: node do rule "flip" !done ==> begin if a[n] = ea then a[n] := eb; else a[n] := ea; end; end; end;
rule "last" !done ==> begin for n: node do for e: E do if a[n] = e then w := e; end; end; end; done := true; end;
startstate begin for n: node do a[n] := ea; end; w := ea; done := false; end;
invariant "p" (done & (exists i: node do a[i] = ea end) & (exists i: node do a[i] = eb end)) -> w = ea;
