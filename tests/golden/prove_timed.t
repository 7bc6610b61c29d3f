#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parvis prove of timed automata: for every number of processes, refuted by a run, or unknown with the reason.
. tests/tap.sh

mutex='A[] forall (i : id_t) forall (j : id_t) P(i).critical and P(j).critical imply i == j'

exits 0 'Fischer is proved' "$PARVIS" prove models/timed/fischer.xta --query "$mutex"
says 'holds: for every N from 2 on' 'for every number' "$PARVIS" prove models/timed/fischer.xta --query "$mutex"
exits 1 'a process that waits too short a time is refuted' \
    "$PARVIS" prove models/timed/fischer.xta --define W=1 --query "$mutex"
says 'P(2).waiting -> critical' 'by a run' "$PARVIS" prove models/timed/fischer.xta --define W=1 --query "$mutex"
exits 0 'waiting longer does no harm' "$PARVIS" prove models/timed/fischer.xta --define W=7 --query "$mutex"
exits 0 'CorSSO is proved' "$PARVIS" prove models/timed/corsso.xta \
    --query 'A[] forall (i : id_t) (User(i).access and User(i).policy == 2 imply User(i).certificates == 2)'
says 'imply i == j: holds' 'other queries of the file may name a process by its number' "$PARVIS" prove models/timed/fischer.xta
says 'N is used as a number' 'the query itself may not' "$PARVIS" prove models/timed/fischer.xta --query "A[] forall (i : id_t) P(i).critical imply N > 1"
says 'N is used as a number' 'nor in its bound on time' "$PARVIS" prove models/timed/fischer.xta --query "A[][<=N] forall (i : id_t) P(i).critical imply P(i).x >= 0"
exits 3 'what is not about two processes is unknown' "$PARVIS" prove models/timed/fischer.xta --query 'A[] not deadlock'
says 'only A\[\] is shown' 'and so is what is not A[]' "$PARVIS" prove models/timed/fischer.xta --query 'E<> P(1).critical'
says 'N is used as a number' 'N must be the end of ranges only' "$PARVIS" prove models/timed/mutex.xta
collided='A[] forall (i : id_t) (Bus.collision and Station(i).transmit imply Station(i).x < 2 * DELAY)'
says 'holds: for every N from 2 on' 'CSMA/CD, whose bus tells all stations' "$PARVIS" prove models/timed/csmacd.xta --query "$collided" \
    --certificate "$PARVIS_TMP/csmacd.cert"
says 'holds, confirmed' '... and its certificate' "$PARVIS" recheck "$PARVIS_TMP/csmacd.cert" models/timed/csmacd.xta
says ': violated' '... not with half of the time' "$PARVIS" prove models/timed/csmacd.xta --query "$(echo "$collided" | sed 's/2 \*/1 */')"
sed 's/guard y < DELAY; sync begin/guard y < 2 * DELAY; sync begin/' models/timed/csmacd.xta > "$PARVIS_TMP/deaf.xta"
says ': violated' '... nor of a bus that notices too late' "$PARVIS" prove "$PARVIS_TMP/deaf.xta" --query "$collided"
apart='A[] Memory.commit_result imply since >= R_PROC + TX_PROC + W_PROC'
exits 0 'PSTM without the order of its queue' "$PARVIS" prove models/pstm/any_order.xta --certificate "$PARVIS_TMP/pstm.cert"
exits 0 '... its certificate' "$PARVIS" recheck "$PARVIS_TMP/pstm.cert" models/pstm/any_order.xta
says 'holds: for every N from 2 on' '... with other times' "$PARVIS" prove models/pstm/any_order.xta -D TX_PROC=3 -D R_PROC=2 -D W_PROC=5 --query "$apart"
says ': violated' '... commits can follow each other as soon as that' "$PARVIS" prove models/pstm/any_order.xta --query "$(echo "$apart" | sed 's/>=/>/')"
for stale in 's/ && !stale//' '/wait_rsp_TX_W { sync NewVersion/d'; do
    sed "$stale" models/pstm/any_order.xta > "$PARVIS_TMP/lost.xta"
    says ': violated' "... not where updates are lost ($stale)" "$PARVIS" prove "$PARVIS_TMP/lost.xta" --query "$apart"
done
exits 2 'N is any number' "$PARVIS" prove models/timed/fischer.xta --define N=3
exits 2 'another constant must exist' "$PARVIS" prove models/timed/fischer.xta --over M
exits 0 'with a certificate' "$PARVIS" prove models/timed/fischer.xta --query "$mutex" --certificate "$PARVIS_TMP/c.cert"
exits 0 'which is confirmed' "$PARVIS" recheck "$PARVIS_TMP/c.cert" models/timed/fischer.xta
says 'confirmed for every N from 2 on' 'for every number' "$PARVIS" recheck "$PARVIS_TMP/c.cert"
says '"triples": 9' 'as JSON' "$PARVIS" recheck "$PARVIS_TMP/c.cert" --json
exits 2 'not for another model' "$PARVIS" recheck "$PARVIS_TMP/c.cert" models/timed/corsso.xta
exits 3 'what is not proved has none' \
    "$PARVIS" prove models/timed/fischer.xta --query 'A[] not deadlock' --certificate "$PARVIS_TMP/d.cert"
exits 0 'no file is written then' test ! -e "$PARVIS_TMP/d.cert"
says '"verdict": "holds"' 'as JSON' "$PARVIS" prove models/timed/fischer.xta --query "$mutex" --json

# holds with 2 and 3 processes, not with 4
cat > "$PARVIS_TMP/four.xta" <<'END'
const int N = 2;
typedef int[1, N] id_t;
int[0, 4] v = 0;
process P(const id_t pid) {
    clock x;
    state a, b;
    init a;
    trans a -> b { guard v == 0 && x > 1; assign v = 1; }, a -> b { guard v == 1; assign v = 2; },
          a -> b { guard v == 2 && x < 9; assign v = 3; }, a -> b { guard v == 3; assign v = 4; };
}
system P;
END
exits 3 'what fails with four processes is not proved' "$PARVIS" prove "$PARVIS_TMP/four.xta" --query 'A[] v < 4'
# Two names that are compared: seen at two other processes they are the same
cat > "$PARVIS_TMP/names.xta" <<'END'
const int N = 2;
typedef int[1, N] id_t;
int[0, N] a = 0, b = 0, c = 0;
process P(const id_t pid) {
    state s, t, u;
    init s;
    trans s -> t { guard a == 0; assign a = pid; }, s -> t { guard a != 0 && b == 0; assign b = pid; },
          s -> t { guard b != 0 && c == 0; assign c = pid; }, s -> u { guard c != 0 && a != b; };
}
system P;
END
exits 3 'names that are compared with each other are refused' \
    "$PARVIS" prove "$PARVIS_TMP/names.xta" --query 'A[] forall (i : id_t) not P(i).u'
# What is only said of processes beyond the fifth is gone from systems with four and five: the text is asked
beyond() { # what, guard, declarations
    cat > "$PARVIS_TMP/beyond.xta" <<END
const int N = 2;
typedef int[1, N] id_t;
int[0, N] turn = 0;
const int table[8] = {1, 1, 1, 1, 1, 1, 9, 9};
$3
process P(const id_t pid) {
    clock x;
    state a { x <= 5 }, bad;
    init a;
    trans a -> a { guard x >= 2 && turn == 0; assign x = 0, turn = pid; },
          a -> a { guard x >= 2 && turn == pid; assign x = 0, turn = 0; },
          a -> a { guard x >= 5; assign x = 0; }, a -> bad { guard $2; };
}
system P;
END
    exits 1 "$1: violated with 7" "$PARVIS" check "$PARVIS_TMP/beyond.xta" --define N=7 --query "$safe"
    exits 3 "$1: not proved" "$PARVIS" prove "$PARVIS_TMP/beyond.xta" --query "$safe"
}
safe='A[] forall (i : id_t) not P(i).bad'
beyond 'a name is compared with a number' 'pid >= 6'
beyond 'a name is a number of a table' 'table[pid] > 1'
beyond 'a variable has the name of the sixth' 'turn == 6'
beyond 'a variable has a name beyond the fifth' 'turn >= 6'
beyond 'names are counted by a sum' '(sum(i : id_t) 1) >= 6'
beyond 'names are counted by a loop' 'f() >= 6' 'int f() { int c = 0; for (i : id_t) c++; return c; }'
beyond 'names are counted by quantifiers' 'exists (a : id_t) exists (b : id_t) exists (c : id_t) exists (d : id_t) exists (e : id_t)
    exists (f : id_t) a != b && a != c && a != d && a != e && a != f && b != c && b != d && b != e && b != f && c != d &&
    c != e && c != f && d != e && d != f && e != f'
beyond 'a name becomes a number' 'g(pid) > 5' 'int g(int i) { return i; }'
beyond 'all other names are listed' \
    'exists (i : id_t) i != 1 && i != 2 && i != 3 && i != 4 && i != 5'
exits 3 'a property that is about numbers' "$PARVIS" prove models/timed/fischer.xta --query 'A[] forall (i : id_t) i < 6'
# WRONG once: beside a process whose steps have locals, the initial state was not combined with itself, so that what three
# processes do from there was not seen. Each adds one: 4 with 4 of them
cat > "$PARVIS_TMP/ladder.xta" <<'END'
const int N = 2;
typedef int[1, N] id_t;
int[0, 5] v = 0;
int[0, 3] k = 0;
int[0, 3] q[2];
void swap() { int[0, 3] t = q[k % 2]; q[k % 2] = q[(k + 1) % 2]; q[(k + 1) % 2] = t; }
process P(const id_t pid) {
    clock x;
    state a, b;
    init a;
    trans a -> b { guard v < 5; assign v = v + 1; };
}
process Aux() { state s; init s; trans s -> s { assign swap(); }; }
system P, Aux;
END
exits 1 'four add four' "$PARVIS" check "$PARVIS_TMP/ladder.xta" -D N=4 --query 'A[] v < 4'
exits 3 'what holds with two and three only is not proved, beside a process with locals' "$PARVIS" prove "$PARVIS_TMP/ladder.xta" --query 'A[] v < 4'
exits 0 'but what holds is' "$PARVIS" prove "$PARVIS_TMP/ladder.xta" --query 'A[] v <= 5'

# Broadcasts: each who hears one changes itself only, or it is not proved
heard() { # exit code, what, what who hears it does
    cat > "$PARVIS_TMP/heard.xta" <<END
const int N = 2;
typedef int[1, N] id_t;
int[0, 9] v = 0;
broadcast chan b;
process P(const id_t pid) {
    clock x;
    bool told = false;
    state a, done;
    init a;
    trans a -> done { guard x >= 2 && !told && v < 6; sync b!; }, a -> a { guard !told; sync b?; assign $3; };
}
process Bus() { state c, bad; init c; trans c -> bad { guard v >= 6; }; }
system P, Bus;
END
    exits "$1" "$2" "$PARVIS" prove "$PARVIS_TMP/heard.xta" --query 'A[] forall (i : id_t) forall (j : id_t) (P(i).done and P(j).done imply i == j)'
    [ "$1" = 3 ] || return 0
    exits 1 "$2: it would be wrong of N=7" "$PARVIS" check "$PARVIS_TMP/heard.xta" -D N=7 --query 'A[] not Bus.bad'
    exits 3 "$2: not proved" "$PARVIS" prove "$PARVIS_TMP/heard.xta" --query 'A[] not Bus.bad'
}
heard 0 'each notes what it hears' 'told = true, x = 0'
heard 3 'each counts in what is shared' 'told = true, v = v + 1'
done_testing
