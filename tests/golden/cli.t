#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cli: options, mistakes and their hints, exit codes, verdicts, output that cannot be written.
. tests/tap.sh
tm=models/tm

# ---- verdicts and exit codes
exits 0 'a property that holds: 0'          "$PARVIS" check $tm/tpl.pv
exits 1 'a violated one: 1'                 "$PARVIS" check $tm/occ.pv --property opaque
exits 3 'a limit: 3'                        "$PARVIS" check $tm/tl2.pv --limit-states 10
exits 2 'no such file: 2'                   "$PARVIS" check no_such_file.pv
says '^strictly_serializable: holds for Thread=2, Loc=2$' 'a verdict line' "$PARVIS" check $tm/tpl.pv --size Thread=2,Loc=2
says '^opaque: violated for Thread=2, Loc=1$' 'a violation' "$PARVIS" check $tm/occ.pv --size Thread=2,Loc=1
says '^opaque: unknown for Thread=2, Loc=2: .*limit of 10 states' 'a limit is named' \
    "$PARVIS" check $tm/tl2.pv --limit-states 10 --property opaque
says '^opaque: unknown .*time' 'the time limit is named' \
    "$PARVIS" check $tm/tl2.pv --limit-time 0.001ms --property opaque
says '    word  \(w1_1 r1_2 c_1 r1_2\|r1_1 w1_2 c_2 r1_1\)$' 'the word of the shortest violation' "$PARVIS" check $tm/occ.pv --property opaque
says '^sizes from the file: Thread=2, Loc=2 (choose with --size)$' 'sizes of the file are told' "$PARVIS" check $tm/tpl.pv
says '^sizes assumed: Thread=2, Loc=2' 'assumed sizes are told' "$PARVIS" check models/specs/opacity.pv
check 'options before and after the file, shortened' \
    "$PARVIS" --prop opaque check --sym off $tm/tpl.pv -q --size=Thread=2,Loc=1
same tests/golden/cli_quiet.gold '--quiet prints verdict lines only' \
    "$PARVIS" check $tm/occ.pv --quiet --size Thread=2,Loc=1
same tests/golden/cli_swapped.gold 'a trace in lanes' \
    sh -c '"$0" check models/tm/tl2_swapped.pv --size Thread=2,Loc=1 -p strictly_serializable | grep -v " transitions, "' "$PARVIS"
same tests/golden/cli_ascii.gold 'without UTF-8, ASCII' \
    sh -c 'LC_ALL=C "$0" check models/tm/tl2_swapped.pv --size Thread=2,Loc=1 -p opaque | grep -v " transitions, "' "$PARVIS"
check 'no colour in a pipe'  sh -c '! "$0" check models/tm/tpl.pv | grep -q "$(printf "\\033")"' "$PARVIS"
check 'colour when asked'    sh -c '"$0" check models/tm/tpl.pv --color always | grep -q "$(printf "\\033")"' "$PARVIS"
check 'no progress in a pipe' sh -c 'test -z "$("$0" check models/tm/tl2.pv 2>&1 >/dev/null)"' "$PARVIS"
check 'lines fit in 100 columns' \
    sh -c '"$0" check models/tm/tl2_swapped.pv | awk "length > 104 { bad = 1 } END { exit bad }"' "$PARVIS"

# ---- models without properties, deadlock, definitions
cat > "$PARVIS_TMP/plain.pv" <<'END'
const N = 3
system Count {
  var n: 0..9 = 0
  action up when n < N { n := n + 1 }
}
END
exits 0 'no property: explored'             "$PARVIS" check "$PARVIS_TMP/plain.pv"
says '^no property is stated'  'which is said'  "$PARVIS" check "$PARVIS_TMP/plain.pv"
says '^    4 states, 3 transitions, depth 3'  'with figures'  "$PARVIS" check "$PARVIS_TMP/plain.pv"
says '^    6 states'  '--define'            "$PARVIS" check "$PARVIS_TMP/plain.pv" --define N=5
exits 1 '--deadlock finds the end'          "$PARVIS" check "$PARVIS_TMP/plain.pv" --deadlock stuck
says '^deadlock: violated'  'and names it'  "$PARVIS" check "$PARVIS_TMP/plain.pv" --deadlock stuck
exits 1 'a run-time error is a violation'   "$PARVIS" check "$PARVIS_TMP/plain.pv" -D N=20
says 'run-time error: violated'  'with its name' "$PARVIS" check "$PARVIS_TMP/plain.pv" -D N=20

# ---- a nondeterministic specification: inclusion of languages
cat > "$PARVIS_TMP/inclusion.pv" <<END
use "$PWD/models/specs/a_ss.pv"
use "$PWD/models/specs/a_op.pv"
use "$PWD/models/tm/occ.pv"
property serial: OCC refines ASS
property opaque_too: OCC refines AOP
END
says '^serial: holds for Thread=2, Loc=1$' 'a nondeterministic specification is met' \
    "$PARVIS" check "$PARVIS_TMP/inclusion.pv" --size Thread=2,Loc=1
says '^opaque_too: violated for Thread=2, Loc=1$' 'another is not' \
    "$PARVIS" check "$PARVIS_TMP/inclusion.pv" --size Thread=2,Loc=1
check 'its trace replays' sh -c '"$0" check "$PARVIS_TMP/inclusion.pv" -p opaque_too --trace "$PARVIS_TMP/bug.json"
    "$0" simulate "$PARVIS_TMP/inclusion.pv" --replay "$PARVIS_TMP/bug.json"' "$PARVIS"
exits 3 'a limit stops it' "$PARVIS" check "$PARVIS_TMP/inclusion.pv" -p serial --limit-states 20

# ---- ranges
says '^     2    2  holds' 'a range is a table' "$PARVIS" check $tm/tpl.pv -p opaque --size Thread=1..2,Loc=1..2
exits 1 'a violation in a range: 1'         "$PARVIS" check $tm/occ.pv -p opaque --size Thread=1..2,Loc=1
exits 0 'but not below it'                  "$PARVIS" check $tm/occ.pv -p opaque --size Thread=1,Loc=1..2

# ---- mistakes on the command line
exits 2 'no command'                        "$PARVIS"
exits 2 'unknown command'                   "$PARVIS" chekc x.pv
says "did you mean 'check'" 'with a hint'   "$PARVIS" chekc x.pv
says 'parvis check models/tm/tl2.pv' 'a file in place of a command' "$PARVIS" models/tm/tl2.pv
exits 2 'unknown option'                    "$PARVIS" check $tm/tpl.pv --sise Thread=2
says "did you mean '--size'" 'with a hint'  "$PARVIS" check $tm/tpl.pv --sise Thread=2
says "ambiguous: --size, --system, --semantics, --symmetry" 'an ambiguous option' "$PARVIS" check $tm/tpl.pv --s x
says "needs an argument: --size SORT=N" 'a missing argument' "$PARVIS" check $tm/tpl.pv --size
says "unknown option '-x'" 'an unknown letter' "$PARVIS" check $tm/tpl.pv -x
says "takes no argument" 'an argument too many' "$PARVIS" check $tm/tpl.pv --json=yes
says "has no option '--trace'" 'an option of another command' "$PARVIS" minimize $tm/tpl.pv --trace x
says "needs an argument: parvis check FILE" 'no file' "$PARVIS" check
says "unexpected argument" 'two files'      "$PARVIS" check $tm/tpl.pv $tm/tl2.pv
says "separated by commas" 'a size on its own' "$PARVIS" check $tm/tpl.pv --size Thread=2 Loc=2
says "did you mean 'Thread'" 'an unknown sort' "$PARVIS" check $tm/tpl.pv --size Thraed=2
says "two sizes for 'Thread'" 'a sort twice' "$PARVIS" check $tm/tpl.pv --size Thread=2,Thread=3
for bad in Thread=0 Thread=65 Thread=x Thread= Thread=3..2 Thread=1.. =2 Thread '' Thread=2,,Loc=2 Thread=-1 Thread=+2; do
    exits 2 "--size '$bad'"                 "$PARVIS" check $tm/tpl.pv --size "$bad"
done
for bad in '--threads 0' '--threads many' '--engine fast' '--symmetry maybe' '--limit-states 0' '--limit-states -5' \
    '--limit-memory 2Q' '--limit-time soon' '--color red' '--define N' '--define N=x' '--property nope' '--system Nope'; do
    # shellcheck disable=SC2086
    exits 2 "$bad"                          "$PARVIS" check $tm/tpl.pv $bad
done
says "did you mean 'opaque'" 'an unknown property' "$PARVIS" check $tm/tpl.pv --property opake
says 'cannot tell the language' 'an unknown kind of file' "$PARVIS" check Makefile
check 'several mistakes in one run' sh -c 'test "$("$0" check x.pv --threads 0 --engine y 2>&1 | grep -c ^error)" -eq 2' "$PARVIS"

# ---- mistakes in the model
printf 'system S {\n  rel busy(Thrad)\n  action go when bsy\n}\nsort Thread\n' > "$PARVIS_TMP/bad.pv"
exits 2 'mistakes in the model: 2'          "$PARVIS" check "$PARVIS_TMP/bad.pv"
says 'bad.pv:2:12: error: ' 'with file, line and column' "$PARVIS" check "$PARVIS_TMP/bad.pv"
says '\^~~~' 'and a caret'                  "$PARVIS" check "$PARVIS_TMP/bad.pv"

# ---- output
exits 3 'a full disk is noticed'            sh -c '"$0" help > /dev/full' "$PARVIS"
says 'cannot write to standard output' 'and told' sh -c '"$0" help > /dev/full' "$PARVIS"
exits 3 'closed output is noticed'          sh -c '"$0" help >&-' "$PARVIS"
check 'a reader that leaves is no error'    bash -c '"$0" help check | true; exit ${PIPESTATUS[0]}' "$PARVIS"
exits 2 'a trace file that cannot be written' "$PARVIS" check $tm/occ.pv -p opaque --trace /no/such/folder/x.json

# ---- out of memory; a sanitizer cannot live under such a limit
case $PARVIS in
    *asan*) ;;
    *)
        says '^unknown: out of memory, while exploring => 3$' 'out of memory is unknown' sh -c 'ulimit -v 400000
            out=$("$0" check models/tm/tl2.pv -p opaque --size Thread=3,Loc=3 --symmetry off -t 1); echo "$out => $?"' "$PARVIS"
        ;;
esac
done_testing
