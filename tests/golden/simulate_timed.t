#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# simulate_timed: walks through timed automata by piped commands. Windows, clocks and times are worked out by hand.
. tests/tap.sh
model=$PARVIS_TMP/lamp.xta
cat > "$model" <<'END'
clock x, y; int[0,3] n; chan press;
process User() { state idle; init idle; trans idle -> idle { guard y >= 1; sync press!; assign y = 0; }; }
process Lamp() { state off, low { x <= 5 }, bright { x < 2 }; init off;
  trans off -> low { sync press?; assign x = 0; },
        low -> bright { guard x < 3; sync press?; assign x = 0, n = n + 1; },
        low -> off { guard x == 5; },
        bright -> off { guard x > 1; }; }
system User, Lamp;
END

# walk COMMANDS ARGUMENTS...: what a piped walk prints.
walk() { walk_commands=$1; shift; printf "$walk_commands" | "$PARVIS" simulate "$@"; }

cat > "$PARVIS_TMP/expected" <<'END'
lamp.xta, 2 processes, 2 clocks. `help` lists the commands.
time 0: User.idle  Lamp.off  n = 0
        x = 0  y = 0
  time may pass for ever
  1 [1, inf)  press: User.idle -> idle, Lamp.off -> low
> 1 @ 3/2
step 1: press: User.idle -> idle, Lamp.off -> low
time 3/2: User.idle  Lamp.low  n = 0
          x = 0  y = 0
  time may pass for 5, by the invariant of x at lamp.xta:3:35
  1 [1, 3)  press: User.idle -> idle, Lamp.low -> bright
  2 [5, 5]  Lamp.low -> off
> delay 1.5
time 3: User.idle  Lamp.low  n = 0
        x = 3/2  y = 3/2
  time may pass for 7/2, by the invariant of x at lamp.xta:3:35
  1 [0, 3/2)    press: User.idle -> idle, Lamp.low -> bright
  2 [7/2, 7/2]  Lamp.low -> off
> 1
step 2: press: User.idle -> idle, Lamp.low -> bright
time 3: User.idle  Lamp.bright  n = 1
        x = 0  y = 0
  time may pass for less than 2, by the invariant of x at lamp.xta:3:54
  1 (1, 2)  Lamp.bright -> off
> delay 2
error: time may not pass for so long
> delay latest
time 9/2: User.idle  Lamp.bright  n = 1
          x = 3/2  y = 3/2
  time may pass for less than 1/2, by the invariant of x at lamp.xta:3:54
  1 [0, 1/2)  Lamp.bright -> off
> back 2
time 3: User.idle  Lamp.low  n = 0
        x = 3/2  y = 3/2
  time may pass for 7/2, by the invariant of x at lamp.xta:3:35
  1 [0, 3/2)    press: User.idle -> idle, Lamp.low -> bright
  2 [7/2, 7/2]  Lamp.low -> off
> Lamp.low @ latest
step 2: Lamp.low -> off
time 13/2: User.idle  Lamp.off  n = 0
           x = 5  y = 5
  time may pass for ever
  1 [0, inf)  press: User.idle -> idle, Lamp.off -> low
> trace
     time  delay  step
      3/2    3/2  press: User.idle -> idle, Lamp.off -> low
     13/2      5  Lamp.low -> off
     13/2         here
END
printf '1 @ 3/2\ndelay 1.5\n1\ndelay 2\ndelay latest\nback 2\nLamp.low @ latest\ntrace\n' > "$PARVIS_TMP/commands"
same "$PARVIS_TMP/expected" 'windows, delays, steps, back, by number and by name' \
    sh -c 'cd "$PARVIS_TMP" && exec "$0" simulate lamp.xta < commands' "$PARVIS"

# ---- zones. After pressing twice: x = y, both were set together; then the lamp is bright for 1 < x < 2.
says '^  1 press: User.idle -> idle, Lamp.off -> low  where x >= 1, y >= 1$' 'from which part of a zone' walk 'symbolic\n' "$model"
says '^ *x < 2  y < 2  x - y = 0$'        'a zone'                    walk 'symbolic\n1\n1\n' "$model"
says '^time 2: '                          'the earliest times of its steps' walk 'symbolic\n1\n1\nconcrete\n' "$model"
says '^error: zones have all delays'      'a step in a zone takes no delay' walk 'symbolic\n1 @ 2\n' "$model"
says '^after 0 steps'                    'which does not happen then'     walk 'symbolic\n1 @ 2\nstate\n' "$model"
says '^error: zones have all delays'      'zones have all delays'     walk 'symbolic\ndelay 1\n' "$model"

# ---- saved, replayed, continued
printf '1 @ 7/4\n1 @ latest\nsave %s\n' "$PARVIS_TMP/run.json" > "$PARVIS_TMP/commands"
check 'a walk is saved'                   sh -c '"$0" simulate "$1" < "$PARVIS_TMP/commands"' "$PARVIS" "$model"
says '^replayed: 2 steps of lamp.xta$'    'and replayed'              "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/run.json"
says '^time 17/4: User.idle  Lamp.bright' 'to where it ended'         "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/run.json"
says '^step 3: Lamp.bright -> off$'       'and goes on'               walk '1\n' "$model" --replay "$PARVIS_TMP/run.json"
sed 's/"delay": "7\/4"/"delay": "1\/2"/' "$PARVIS_TMP/run.json" > "$PARVIS_TMP/early.json"
exits 2 'a step that comes too early is none' "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/early.json"
sed 's/"delay": "5\/2"/"delay": "99999999999999999999\/7"/' "$PARVIS_TMP/run.json" > "$PARVIS_TMP/large.json"
exits 2 'a delay that is too large is none' "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/large.json"
for key in end_delay end_time time delay; do
    sed "s/\"$key\":/\"gone\":/" "$PARVIS_TMP/run.json" > "$PARVIS_TMP/gone.json"
    exits 2 "no trace without $key"       "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/gone.json"
done
sed 's/"time": "7\/4"/"time": "3"/' "$PARVIS_TMP/run.json" > "$PARVIS_TMP/time.json"
exits 2 'a time that is not that of the delays' "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/time.json"
sed 's/"1\/2"/"1"/' "$PARVIS_TMP/run.json" > "$PARVIS_TMP/clocks.json"
for query in 'E<> Lamp.bright and y > 1' 'A[] n < 2' 'Lamp.low --> Lamp.bright'; do
    "$PARVIS" check "$model" --query "$query" --trace "$PARVIS_TMP/found.json" > /dev/null 2>&1
    says '^replayed: ' "what check finds is replayed: $query" "$PARVIS" simulate "$model" --replay "$PARVIS_TMP/found.json"
done
"$PARVIS" check models/timed/train_gate.xta --query 'E<> Train(1).Cross' --trace "$PARVIS_TMP/train.json" > /dev/null 2>&1
says '^replayed: '                        'of a larger model too'     "$PARVIS" simulate models/timed/train_gate.xta --replay "$PARVIS_TMP/train.json"
exits 2 'and only on its model'           "$PARVIS" simulate models/timed/bridge.xta --replay "$PARVIS_TMP/train.json"
same_walk() {
    printf 'random 40 %s\nsave %s\n' "$1" "$PARVIS_TMP/random.json" | "$PARVIS" simulate models/timed/train_gate.xta --json > "$PARVIS_TMP/a.json" &&
    "$PARVIS" simulate models/timed/train_gate.xta --replay "$PARVIS_TMP/random.json" --json < /dev/null > "$PARVIS_TMP/b.json" &&
    python3 -c '
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(a["trace"] != b["trace"] or a["enabled"] != b["enabled"] or len(a["trace"]["steps"]) < 5)' "$PARVIS_TMP/a.json" "$PARVIS_TMP/b.json"
}
for seed in 1 2 3; do check "a random walk and its replay agree, seed $seed" same_walk $seed; done

# ---- two edges that differ in what they set only: the clocks say which it was
cat > "$PARVIS_TMP/twins.xta" <<'END'
clock x, y;
process P() { state a, b; init a; trans a -> b { assign x = 0; }, a -> b { assign y = 0; }; }
system P;
END
printf '2 @ 3\nsave %s\n' "$PARVIS_TMP/twins.json" > "$PARVIS_TMP/commands"
"$PARVIS" simulate "$PARVIS_TMP/twins.xta" < "$PARVIS_TMP/commands" > /dev/null
says '^ *x = 3  y = 0$'                   'clocks tell twins apart'   "$PARVIS" simulate "$PARVIS_TMP/twins.xta" --replay "$PARVIS_TMP/twins.json"

# ---- ends
ends() {
    printf 'clock x; int[0,3] n; process P() { state a %s, b %s; %s init a; trans a -> b { guard x >= 1; %s }; } system P;\n' "$1" "$2" "$3" "$4" > "$PARVIS_TMP/ends.xta"
    walk '1\n' "$PARVIS_TMP/ends.xta"
}
says 'no step is possible, now or after any delay: a deadlock'   'a deadlock'            ends '' '' '' ''
says 'no step is possible before the invariant ends: a deadlock' 'where time runs out'   ends '' '{ x <= 3 }' '' ''
says 'no step is possible, and no time may pass: a deadlock'     'where time stands still' ends '' '' 'urgent b;' ''
says '^  time stands still$'                                     'and says so'           ends '' '' 'urgent b;' ''
says '^  1 \[1, inf)  P.a -> b (a value leaves its range)$'        'a run-time error'      ends '' '' '' 'assign n = 5;'
says '^error: a value leaves its range$'                           'is not taken'          ends '' '' '' 'assign n = 5;'
# WRONG once: a step that gives way to one which is never possible, as its bounds exclude each other, was there twice
cat > "$PARVIS_TMP/never.xta" <<'END'
int[0, 3] v;
process A() { state a; init a; trans a -> a { }; }
process B() { clock x; state b, c; init b; trans b -> c { guard x > 1 && x == v; }; }
system A < B;
END
moves() { walk '' "$1" | grep -c -e '->'; }
says '^  1 \[0, inf)  A.a -> a$'          'a step of lower priority'  walk '' "$PARVIS_TMP/never.xta"
says '^1$'                                'is there once'             moves "$PARVIS_TMP/never.xta"
says 'an invariant does not hold in the initial state'           'no start'              ends '{ x < 0 }' '' '' ''
says 'satisfies P(1).critical'                      'why the run of a check ends'  "$PARVIS" check models/timed/fischer.xta --query 'E<> P(1).critical'
says 'violates not P(1).critical'         'or of one that violates it' "$PARVIS" check models/timed/fischer.xta --query 'A[] not P(1).critical'
says '^ *P(1).x = 3 .*P(4).x = 3$'        'clocks in a run, with --full-states' "$PARVIS" check models/timed/fischer.xta --query 'E<> P(1).critical' --full-states

# ---- mistakes
cat > "$PARVIS_TMP/expected" <<'END'
> 7
error: there is no step with that number here
> 1 @ soon
error: after '@' comes a delay (2, 3/2, 1.5), 'earliest' or 'latest'
> 1 @ 1/3000000
error: after '@' comes a delay (2, 3/2, 1.5), 'earliest' or 'latest'
> 1 @ 1/2
error: the step is not possible after that delay
> 1 @ latest
error: there is no latest time
> delay
error: delay takes a time (2, 3/2, 1.5), earliest or latest
> delay -1
error: delay takes a time (2, 3/2, 1.5), earliest or latest
> delay 99999999999999999999
error: delay takes a time (2, 3/2, 1.5), earliest or latest
> back x
error: back takes a number of steps and delays
> nothing
error: 'nothing' is neither a command nor something that can happen now; `help` lists the commands
END
mistakes() { walk '7\n1 @ soon\n1 @ 1/3000000\n1 @ 1/2\n1 @ latest\ndelay\ndelay -1\ndelay 99999999999999999999\nback x\nnothing\n' "$model" | grep '^>\|^error'; }
same "$PARVIS_TMP/expected" 'mistakes are told' mistakes
exits 2 'and make a piped walk fail'      sh -c 'echo nonsense | "$0" simulate "$1"' "$PARVIS" "$model"
exits 2 'no properties'                   "$PARVIS" simulate "$model" -p x
cat > "$PARVIS_TMP/small.xml" <<'END'
<nta><declaration>clock x;</declaration><template><name>P</name><location id="a"><name>a</name></location>
<location id="b"><name>b</name></location><init ref="a"/><transition><source ref="a"/><target ref="b"/>
<label kind="guard">x &gt; 2</label></transition></template><system>system P;</system></nta>
END
says '^  1 (2, inf)  P.a -> b$'           'an XML file'               "$PARVIS" simulate "$PARVIS_TMP/small.xml"
done_testing
