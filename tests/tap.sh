# SPDX-License-Identifier: Apache-2.0
#
# tap.sh: TAP for golden tests written in shell. A test reads
#
#   #!/bin/sh
#   . tests/tap.sh
#   check 'help is printed'      "$PARVIS" --help
#   exits 2 'unknown option'     "$PARVIS" --nonsense
#   says 'holds' 'TL2 is proved' "$PARVIS" prove models/tl2.pv
#   same tests/golden/x.gold 'the text report' "$PARVIS" check models/x.pv
#   done_testing
#
# Output of a failed command appears as comments. PARVIS_GOLD=update rewrites the files `same` compares with.
tap_count=0
tap_out=${PARVIS_TMP:?run by tests/run}/tap.out

# tap_result STATUS NAME: one TAP line, with the last command's output when it failed.
tap_result() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $tap_count - $2"; return; fi
    echo "not ok $tap_count - $2"
    sed 's/^/# /' "$tap_out"
}

# tap_run COMMAND...: stdout and stderr into tap_out, exit status into tap_status.
tap_run() { tap_status=0; "$@" > "$tap_out" 2>&1 < /dev/null || tap_status=$?; }

# check NAME COMMAND...: exits 0.
check() { tap_name=$1; shift; tap_run "$@"; tap_result "$tap_status" "$tap_name"; }

# exits STATUS NAME COMMAND...
exits() {
    tap_want=$1 tap_name=$2; shift 2
    tap_run "$@"
    [ "$tap_status" -eq "$tap_want" ] || echo "exit status $tap_status, expected $tap_want" >> "$tap_out"
    [ "$tap_status" -eq "$tap_want" ]
    tap_result $? "$tap_name"
}

# says REGEX NAME COMMAND...: a line of the output matches, whatever the exit status.
says() {
    tap_want=$1 tap_name=$2; shift 2
    tap_run "$@"
    if grep -q -e "$tap_want" "$tap_out"; then tap_result 0 "$tap_name"; return; fi
    echo "no line matches: $tap_want" >> "$tap_out"
    tap_result 1 "$tap_name"
}

# same FILE NAME COMMAND...: the output is exactly the file.
same() {
    tap_want=$1 tap_name=$2; shift 2
    tap_run "$@"
    if [ "${PARVIS_GOLD:-}" = update ]; then cp "$tap_out" "$tap_want"; fi
    diff -u "$tap_want" "$tap_out" > "$tap_out.diff" 2>&1
    tap_status=$?
    mv "$tap_out.diff" "$tap_out"
    tap_result $tap_status "$tap_name"
}

done_testing() { echo "1..$tap_count"; }
