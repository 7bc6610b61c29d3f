#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record_postgres: concurrent transactions of a real PostgreSQL server are recorded: at repeatable
# read they are snapshots and not serializable, at serializable they are.
. tests/tap.sh
tmp=$PARVIS_TMP
export TMPDIR="$tmp"

if ! scripts/setup postgres -n > "$tmp/missing" 2>&1; then
    if [ -z "${PARVIS_LONG:-}" ] || ! timeout 300 scripts/setup postgres > /dev/null 2>&1; then
        echo "# PostgreSQL is not here (scripts/setup postgres installs it): skipped"
        echo "1..0 # SKIP no PostgreSQL"
        exit
    fi
fi

check 'the client builds' make -s -C examples/stm postgres O="$tmp/stm"
says ': 400 transactions of 4 sessions,' 'repeatable read is recorded' timeout 120 examples/stm/with_postgres \
    "$PARVIS" record -o "$tmp/rr.parvis" -- "$tmp/stm/pg_client" --isolation repeatable-read --transactions 100
exits 0 'it is snapshot isolation'   "$PARVIS" check "$tmp/rr.parvis" --level strong_si,session_si,si
exits 1 'it is not serializable'     "$PARVIS" check "$tmp/rr.parvis" --level serializable
exits 0 'serializable is strictly so' timeout 120 examples/stm/with_postgres \
    "$PARVIS" record --level strict,serializable -- "$tmp/stm/pg_client" --isolation serializable --transactions 100
exits 5 'the exit status is that of the command' examples/stm/with_postgres sh -c 'exit 5'
check 'no server is left' sh -c 'folder=$("$@" sh -c "echo \$PGHOST") && test -n "$folder" && test ! -e "$folder"' _ \
    examples/stm/with_postgres
done_testing
