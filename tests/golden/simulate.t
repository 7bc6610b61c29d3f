#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# simulate: walks by piped commands, replays, and show.
. tests/tap.sh
tm=models/tm

# walk NAME GOLD COMMANDS ARGUMENTS...: a piped walk prints exactly the file.
walk() {
    walk_gold=$1 walk_name=$2 walk_commands=$3; shift 3
    printf "$walk_commands" > "$PARVIS_TMP/commands"
    same "tests/golden/$walk_gold.gold" "$walk_name" sh -c 'exec "$0" simulate "$@" < "$PARVIS_TMP/commands"' "$PARVIS" "$@"
}

walk simulate_walk 'steps, back, state, trace' '1\nback\n4\n1\nstate\ntrace\nactions\nquit\n' $tm/occ.pv --size Thread=2,Loc=1
walk simulate_refused 'the product marks refused steps' '4\n1\n6\n1\n' $tm/occ.pv --size Thread=2,Loc=1 --property opaque
walk simulate_random 'the same seed gives the same walk' 'random 6 42\n' $tm/tl2.pv --size Thread=2,Loc=1
walk simulate_help 'help' 'help\n' $tm/seq.pv --size Thread=1,Loc=1
walk simulate_mistakes 'mistakes are told' '99\nbak 2\nback x\nrandom y\nsave\ninitial 7\n\n' $tm/seq.pv --size Thread=1,Loc=1

exits 2 'a piped walk with a mistake: 2'  sh -c 'echo nonsense | "$0" simulate models/tm/seq.pv' "$PARVIS"
exits 0 'end of input ends it: 0'         "$PARVIS" simulate $tm/seq.pv
exits 2 'a range is no size'              "$PARVIS" simulate $tm/seq.pv --size Thread=1..2
check 'a saved walk replays' sh -c 'cd "$PARVIS_TMP" && echo "random 30 5
save walk.json" | "$0" simulate "$1" && "$0" simulate "$1" --replay walk.json' "$PARVIS" "$PWD/$tm/tl2.pv"
says 'replayed: 30 steps of TL2$' 'all of it' "$PARVIS" simulate $tm/tl2.pv --replay "$PARVIS_TMP/walk.json"
exits 2 'on its own model only'           "$PARVIS" simulate $tm/seq.pv --replay "$PARVIS_TMP/walk.json"
printf '{"steps": []}' > "$PARVIS_TMP/none.json"
printf 'not json' > "$PARVIS_TMP/text.json"
says 'contains no trace' 'a file without a trace' "$PARVIS" simulate $tm/seq.pv --replay "$PARVIS_TMP/none.json"
says 'no JSON' 'a file that is no JSON'   "$PARVIS" simulate $tm/seq.pv --replay "$PARVIS_TMP/text.json"

# ---- names, and going on from a trace
walk simulate_names 'names of actions' 'write 2 1\nread(1, 1)\ncommit\ncom\ncommit 1\nst\nnothing\n' $tm/occ.pv --size Thread=2,Loc=1
"$PARVIS" check $tm/occ.pv --size Thread=2,Loc=1 -p opaque --trace "$PARVIS_TMP/bug.json" -q > /dev/null
printf 'back\ncommit 1\nsave %s\n' "$PARVIS_TMP/on.json" > "$PARVIS_TMP/commands"
check 'the walk goes on where a trace ends' sh -c '"$0" simulate "$1" --replay "$PARVIS_TMP/bug.json" < "$PARVIS_TMP/commands"' "$PARVIS" $tm/occ.pv
says 'replayed: 3 steps of OCC × Opacity$' 'before its refused step, and what is saved is a trace again' "$PARVIS" simulate $tm/occ.pv --replay "$PARVIS_TMP/on.json"
says '"label": "c_1"' 'with the step that was added' cat "$PARVIS_TMP/on.json"
answer_of() { "$PARVIS" simulate $tm/occ.pv --replay "$PARVIS_TMP/bug.json" --json < "$1" | python3 -c "
import json, sys
o = json.load(sys.stdin)
steps = o['trace']['steps']
sys.exit(not (o['replayed'] and o['enabled'] and len(steps) == $2 and steps[-1]['refused'] == $3))"; }
check 'as JSON: the trace as it was, with its refused step' answer_of /dev/null 4 True
check 'or the walk that went on'           answer_of "$PARVIS_TMP/commands" 3 False

# ---- in a terminal
typed() { python3 tests/tools/typed "$1" "$PARVIS" simulate $tm/seq.pv --size Thread=1,Loc=1 > "$PARVIS_TMP/typed" 2>&1; cat "$PARVIS_TMP/typed"; }
says '^step 1: commit(1)'                 'Tab completes'             typed 'com\t,\n,quit\n'
says '^  read(1,1)$'                      'or lists what fits'        typed 'r\t,\x15,quit\n'
says '^step 2: read(1,1)'                 'an arrow recalls a line'   typed '1\n,\x1b[A,\n,quit\n'
says '^status 0$'                         'and the line can be edited' typed 'qut\x1b[D,i\n'
says '^canonical echo$'                   'the terminal is as it was' typed 'quit\n'
says '^unknown: interrupted$'             'Ctrl-C interrupts'         typed 'com,\x03'
says '^canonical echo$'                   'and leaves the terminal as it was' typed 'com,\x03'
says '^status 0$'                         'Ctrl-D ends'               typed '\x04'

cat > "$PARVIS_TMP/any.pv" <<'END'
sort Node
system Pick {
  var chosen: Node = any
  var n: 0..3 = 0
  action up { n := n + 1 }
}
END
printf 'initial\ninitial 2\n1\n1\n1\n1\n' > "$PARVIS_TMP/commands"
same tests/golden/simulate_initial.gold 'several initial states, and a run-time error' \
    sh -c 'cd "$PARVIS_TMP" && exec "$0" simulate any.pv --size Node=3 < commands' "$PARVIS"

cat > "$PARVIS_TMP/excluded.m" <<'END'
var x: 0..3;
startstate x := 0; end;
rule "step" x < 3 ==> x := x + 1; assume x != 2; end;
rule "reset" x := 0; end;
END
printf '1\n1\n' > "$PARVIS_TMP/commands"
says 'step 1: step .*step 2: reset' 'a step that an assumption in its body rules out is none' \
    sh -c '"$0" simulate "$PARVIS_TMP/excluded.m" < "$PARVIS_TMP/commands" | tr "\n" " "' "$PARVIS"
says '^5$' 'and it is no edge of the graph' \
    sh -c '"$0" show "$PARVIS_TMP/excluded.m" --dot | grep -c "^  s[01]"' "$PARVIS"

# ---- show
kinds() {
    "$PARVIS" show models/tm-algorithms/tl2_modified.pv --json | python3 -c '
import json, sys
free = [p for p in json.load(sys.stdin)["properties"] if p["name"].endswith("_free")]
sys.exit(len(free) != 3 or any(p["name"] != p["kind"] for p in free))'
}
check 'kinds of liveness properties'      kinds
for file in models/tm/*.pv models/specs/*.pv; do
    check "show $file parses back to the same text" sh -c '
        "$0" show "$1" > "$PARVIS_TMP/once.pv" && "$0" show "$PARVIS_TMP/once.pv" > "$PARVIS_TMP/twice.pv" &&
        cmp "$PARVIS_TMP/once.pv" "$PARVIS_TMP/twice.pv"' "$PARVIS" "$file"
done
says '^system Seq' 'one system'           "$PARVIS" show $tm/seq.pv --system Seq
check 'a product'                         "$PARVIS" show $tm/seq.pv --product opaque
exits 2 'no product without refinement'   "$PARVIS" show models/specs/opacity.pv --product op_never_stuck
same tests/golden/simulate_dot.gold 'a state graph' "$PARVIS" show $tm/tpl.pv --dot --size Thread=1,Loc=1
exits 3 'a large one is cut'              "$PARVIS" show $tm/tl2.pv --dot --limit-states 20
says 'graph is cut' 'and says so'         "$PARVIS" show $tm/tl2.pv --dot --limit-states 20
done_testing
