#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Levels of recorded histories through the program: verdicts and exit codes, explanations, cores that are histories of
# their own, certificates, counts, conversion, mistakes, limits.
. tests/tap.sh

h() { printf '%s\n' "$1" > "$PARVIS_TMP/$2"; }

h 'open(1) read(1,x,0) open(2) write(2,x,1) commit(2) commit(1)' swapped.hist
exits 0 'commits in the other order' "$PARVIS" check "$PARVIS_TMP/swapped.hist"
says 'order 1.1 2.1' 'an order is shown' "$PARVIS" check "$PARVIS_TMP/swapped.hist" --level strict
h 'open(1) read(1,x,0) read(1,y,0) open(2) read(2,x,0) read(2,y,0) write(1,x,1) commit(1) write(2,y,2) commit(2)' skew.hist
exits 0 'write skew is a snapshot' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level strong_si,si
exits 1 'write skew is not serializable' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level serializable
says 'write skew' 'and has its name' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level serializable
says 'read before overwritten: T1 read y = 0, which T2 overwrote' 'and its reasons' \
    "$PARVIS" check "$PARVIS_TMP/skew.hist" --level serializable
exits 1 'all levels' "$PARVIS" check "$PARVIS_TMP/skew.hist"
says '^opaque: violated, as serializable is' 'a stronger level is violated as a weaker one is' \
    "$PARVIS" check "$PARVIS_TMP/skew.hist"

# name LEVEL ANOMALY HISTORY: what a violation is called.
name() {
    h "$3" name.hist
    exits 1 "$2: violated" "$PARVIS" check "$PARVIS_TMP/name.hist" --level "$1" --core "$PARVIS_TMP/core.hist"
    says "$2" "$2: named" "$PARVIS" check "$PARVIS_TMP/name.hist" --level "$1"
    exits 1 "$2: its core alone" "$PARVIS" check "$PARVIS_TMP/core.hist" --level "$1"
}
other='open(8) write(8,z,8) commit(8) open(9) read(9,z,8) write(9,u,9) commit(9)'
name si 'lost update' "$other open(1) read(1,x,0) open(2) read(2,x,0) write(1,x,1) commit(1) write(2,x,2) commit(2)"
name strict 'stale read' "$other open(1) write(1,x,1) commit(1) open(2) read(2,x,0) commit(2)"
name session 'stale read within a session' "open(s) write(s,x,1) commit(s) $other open(s) read(s,x,0) commit(s)"
name si 'long fork' "$other open(1) write(1,x,1) open(2) write(2,y,1) commit(1) commit(2) open(3) read(3,x,1) read(3,y,0)
    open(4) read(4,x,0) read(4,y,1) commit(3) commit(4)"
name serializable 'fractured read' 'open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1) commit(2)'
name opaque 'inconsistent snapshot of an aborted transaction' \
    'open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1) abort(2)'
name opaque 'inconsistent snapshot of a live transaction' \
    'open(1) write(1,x,1) write(1,y,1) open(2) read(2,x,0) commit(1) read(2,y,1)'
h 'open(1) read(1,x,0) open(3) write(3,x,0) write(3,y,1) commit(3) read(1,y,1) commit(1)' silent.hist
exits 0 'a silent store is opaque: what was read is there without it' "$PARVIS" check "$PARVIS_TMP/silent.hist" --level opaque
h 'open(1) read(1,x,1) open(3) write(3,x,1) write(3,y,1) commit(3) read(1,y,1) commit(1)' dirty.hist
exits 1 'but not what was not there' "$PARVIS" check "$PARVIS_TMP/dirty.hist" --level opaque
name opaque 'dirty read' "$other open(1) write(1,x,1) open(2) read(2,x,1) commit(1) commit(2)"
name read_committed 'read of an aborted transaction' "$other open(1) write(1,x,1) open(2) abort(1) read(2,x,1) commit(2)"
name read_committed 'intermediate read' 'open(1) write(1,x,1) open(2) write(1,x,2) commit(1) read(2,x,1) commit(2)'
name read_committed 'own write lost' 'open(1) write(1,x,1) read(1,x,0) commit(1)'
name read_committed 'circular information flow' \
    'open(1) write(1,x,1) open(2) write(2,y,1) read(1,y,1) read(2,x,1) commit(1) commit(2)'
name read_atomic 'unrepeatable read' 'open(1) read(1,x,0) open(2) write(2,x,1) commit(2) read(1,x,1) commit(1)'
name serializable 'a value that nobody wrote' "$other open(1) read(1,x,7) commit(1)"
name serializable 'incompatible orders' 'open(1) append(1,l,1) open(2) append(2,l,2) commit(1) commit(2)
    open(3) read(3,l,[1 2]) commit(3) open(4) read(4,l,[2 1]) commit(4)'

# An element that was appended twice: all ways to tell the two apart are tried.
h 'open(1) append(1,l,5) commit(1) open(2) append(2,l,5) commit(2) open(3) append(3,l,6) commit(3)
    open(4) read(4,l,[5 5 6]) commit(4)' twice.hist
exits 0 'appended twice, and it does not matter' "$PARVIS" check "$PARVIS_TMP/twice.hist"
h 'open(1) append(1,l,5) write(1,x,1) commit(1) open(2) append(2,l,5) write(2,y,1) commit(2)
    open(3) read(3,l,[5]) read(3,x,0) commit(3) open(4) read(4,l,[5]) read(4,y,0) commit(4)' twice.hist
exits 1 'appended twice, and one of the two must be first' "$PARVIS" check "$PARVIS_TMP/twice.hist" --level serializable
says 'an element is appended twice to a list, and in whichever way' 'that is told' \
    "$PARVIS" check "$PARVIS_TMP/twice.hist" --level serializable

h 'open(s) append(s,l,2) write(s,x,0) commit_call(s) left(s) open(s) read(s,x,0) append(s,l,1) commit(s)
    open(s) read(s,l,[1]) commit(s)' pending_list.hist
exits 0 'a pending append that no list has may not have happened' "$PARVIS" check "$PARVIS_TMP/pending_list.hist"

h 'open(1)@94 write(1,x,0)@95 commit_call(1)@112 left(1)@112 open(0)@100 write(0,x,0)@103..107 commit(0)@107..111
    open(0)@112 write(0,x,0)@123..129 commit_call(0)@129 left(0)@129 open(0)@136 read(0,x,0)@136..139 write(0,x,2)@142 commit(0)@145..149
    open(1)@127 read(1,x,0)@127..134 write(1,x,1)@134..142 commit(1)@149..157' pending_late.hist
exits 0 'a pending write may happen after those that ended before' \
    "$PARVIS" check "$PARVIS_TMP/pending_late.hist" --level strict,opaque,strong_si

# Times, several files, no times.
h 'open(1)@10..11 write(1,x,1)@12..13 commit(1)@14..20' one.hist
h 'open(2)@18..19 read(2,x,0)@21..22 commit(2)@23..24' two.hist
exits 0 'overlapping intervals' "$PARVIS" check "$PARVIS_TMP/one.hist" "$PARVIS_TMP/two.hist" --level strict,opaque
h 'open(2)@21..22 read(2,x,0)@23..24 commit(2)@25..26' two.hist
exits 1 'one after the other' "$PARVIS" check "$PARVIS_TMP/one.hist" "$PARVIS_TMP/two.hist" --level strict
exits 0 'in some order' "$PARVIS" check "$PARVIS_TMP/one.hist" "$PARVIS_TMP/two.hist" --level session
h 'untimed open(1) write(1,x,1) commit(1) open(2) read(2,x,0) commit(2)' untimed.hist
exits 0 'no times' "$PARVIS" check "$PARVIS_TMP/untimed.hist"
says 'strict: not asked, this history has no times' 'is told' "$PARVIS" check "$PARVIS_TMP/untimed.hist"
exits 2 'real time without times' "$PARVIS" check "$PARVIS_TMP/untimed.hist" --level strict
h 'open(1) write(1,x,1) commit_call(1) open(2) read(2,x,1) commit(2)' pending.hist
exits 0 'a pending commit that was seen' "$PARVIS" check "$PARVIS_TMP/pending.hist" --level opaque

# Certificates are replayed; one about another history is refused.
exits 0 'a certificate' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level si,causal --certificate "$PARVIS_TMP/skew.cert"
exits 0 'is confirmed' "$PARVIS" recheck "$PARVIS_TMP/skew.cert"
exits 0 'about this history' "$PARVIS" recheck "$PARVIS_TMP/skew.cert" "$PARVIS_TMP/skew.hist"
exits 2 'not about another' "$PARVIS" recheck "$PARVIS_TMP/skew.cert" "$PARVIS_TMP/swapped.hist"
exits 1 'what holds is certified although something else does not' \
    "$PARVIS" check "$PARVIS_TMP/skew.hist" --certificate "$PARVIS_TMP/all.cert"
says 'read_committed: confirmed' 'all that hold' "$PARVIS" recheck "$PARVIS_TMP/all.cert"

# Large files and levels about real time: checked while they are read, in memory that does not grow with them. 330,000
# transactions as a whole take 140 MB.
awk 'BEGIN { for (i = 0; i < 330000; i++) { s = i % 3; t = 20 * i; k = i % 1000
    printf "open(%d)@%d read(%d,%d,%d)@%d..%d write(%d,%d,%d)@%d..%d commit(%d)@%d..%d\n", s, t, s, k, last[k], t + 4, t + 6,
        s, k, i + 1, t + 8, t + 15, s, t + 20, t + 42
    last[k] = i + 1 } }' > "$PARVIS_TMP/large.hist"
case $PARVIS in  # a sanitizer takes several times the memory
    */asan/*) room=1G ;;
    *) room=80M ;;
esac
says '^strict: holds' 'a large history holds' \
    "$PARVIS" check "$PARVIS_TMP/large.hist" --level strict,opaque --limit-memory $room
says '330,000 transactions committed' 'and is counted' "$PARVIS" check "$PARVIS_TMP/large.hist" --level strict
printf 'open(9)@9000000 read(9,5,0)@9000001 commit(9)@9000003\n' >> "$PARVIS_TMP/large.hist"
says 'T2  session 9 (line 330001)' 'a violation is told as ever' "$PARVIS" check "$PARVIS_TMP/large.hist" --level strict
printf 'open(9)@9000000 raed(9,5,0)@9000001 commit(9)@9000003\n' >> "$PARVIS_TMP/large.hist"
says "large.hist:330002:17: error: unknown event 'raed'" 'so is a mistake' "$PARVIS" check "$PARVIS_TMP/large.hist" --level strict
rm "$PARVIS_TMP/large.hist"

# Counts and other formats.
says 'overlaps      at most 2 transactions at a time' 'overlaps' "$PARVIS" show "$PARVIS_TMP/skew.hist" --stats
"$PARVIS" show "$PARVIS_TMP/skew.hist" --format json > "$PARVIS_TMP/skew.json"
exits 1 'converted to JSON' "$PARVIS" check "$PARVIS_TMP/skew.json" --level serializable
exits 0 'the rest holds there too' "$PARVIS" check "$PARVIS_TMP/skew.json" --level si
exits 1 'from standard input' sh -c '"$0" check - --level serializable < "$1"' "$PARVIS" "$PARVIS_TMP/skew.json"
gzip -c "$PARVIS_TMP/skew.json" > "$PARVIS_TMP/skew.json.gz"
exits 1 'compressed' "$PARVIS" check "$PARVIS_TMP/skew.json.gz" --level serializable
says '"anomaly": "write skew' 'as JSON' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level serializable --json

# A history with numbers goes through every format and back. The verdicts that the format's times allow stay.
h 'open(1) read(1,1,0) read(1,2,0) open(2) read(2,1,0) read(2,2,0) write(1,1,5) commit(1) write(2,2,6) commit(2)
    open(1) read(1,1,5) read(1,2,6) commit(1)' numbers.hist
for to in hist json log jepsen plume awdit dbcop cobra; do
    exits 0 "to $to" "$PARVIS" show "$PARVIS_TMP/numbers.hist" --format $to -o "$PARVIS_TMP/as_$to"
    exits 1 "from $to: write skew" "$PARVIS" check "$PARVIS_TMP/as_$to" --level serializable
    exits 0 "from $to: a snapshot" "$PARVIS" check "$PARVIS_TMP/as_$to" --level session_si
    for back in hist plume cobra; do
        "$PARVIS" show "$PARVIS_TMP/as_$to" --format $back -o "$PARVIS_TMP/as_${to}_$back" 2> "$PARVIS_TMP/warned"
        exits 1 "from $to to $back: write skew" "$PARVIS" check "$PARVIS_TMP/as_${to}_$back" --level serializable
    done
done
says '^warning: times are left out: the format has no place for them' 'times that a format has no place for are missed' \
    "$PARVIS" show "$PARVIS_TMP/numbers.hist" --format awdit
says 'no place for several sessions in one file: -o FOLDER writes a file for each' 'several logs' \
    "$PARVIS" show "$PARVIS_TMP/numbers.hist" --format cobra
exits 2 'several logs on standard output' "$PARVIS" show "$PARVIS_TMP/numbers.hist" --format cobra
exits 2 'a folder that is there' "$PARVIS" show "$PARVIS_TMP/numbers.hist" --format cobra -o "$PARVIS_TMP/as_cobra"
exits 2 'what has no place is not written' "$PARVIS" show "$PARVIS_TMP/skew.hist" --format cobra -o "$PARVIS_TMP/none"
check 'not even a folder' test ! -e "$PARVIS_TMP/none"
h 'open(1) write(1,1,38851) commit(1)' bytes.hist
check 'binary formats are the same in every locale' sh -c 'LC_ALL=C "$0" show "$1" --format dbcop > "$2/a"
    LC_ALL=C.UTF-8 "$0" show "$1" --format dbcop > "$2/b"; cmp "$2/a" "$2/b"' "$PARVIS" "$PARVIS_TMP/bytes.hist" "$PARVIS_TMP"
exits 2 'a binary format is no JSON' "$PARVIS" show "$PARVIS_TMP/bytes.hist" --format dbcop --json
exits 2 '-o is for conversions' "$PARVIS" show "$PARVIS_TMP/bytes.hist" -o "$PARVIS_TMP/x"
exits 2 '-o is not for models' "$PARVIS" show models/tm/seq.pv -o "$PARVIS_TMP/x"

# Mistakes.
exits 2 'no such level' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level stict
says "unknown level 'stict', did you mean 'strict'?" 'with the nearest' "$PARVIS" check "$PARVIS_TMP/skew.hist" --level stict
h 'open(1) read(1,x,0)@5' bad.hist
says 'bad.hist:1:9: error: some events have times' 'with its place' "$PARVIS" check "$PARVIS_TMP/bad.hist"
exits 2 'and its exit code' "$PARVIS" check "$PARVIS_TMP/bad.hist"
exits 2 'an unknown format' "$PARVIS" check "$PARVIS_TMP/skew.hist" --format xyz
done_testing
