#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pstm.sh N [linear|cyclic]: aligned transactions of models/pstm as a text for TChecker, all durations 1. The same automata:
# functions are written out where they are called. (`waiting` has one value more: TChecker computes assignments before it
# looks at clocks, so also those of requests for which it is too early.)
n=${1:?pstm.sh N [linear|cyclic]}
kind=${2:-linear}
last=$((n - 1))

cat <<END
system:pstm_$n
event:tau
event:mem_req
event:mem_done
END
for i in $(seq 0 $last); do printf 'event:req_%d\nevent:pipe_%d\n' "$i" "$i"; done
cat <<END
int:$n:0:$n:0:read
int:$n:0:2:0:result
int:1:0:$last:0:msg_id
int:1:0:1:0:msg_op
int:$n:0:$last:0:queue_id
int:$n:0:1:0:queue_op
int:1:0:$last:0:current
int:1:0:$((n + 1)):0:waiting
int:1:0:$last:0:owner_id
int:1:0:1:0:owner_op
int:1:0:1:0:busy
int:1:0:$n:0:version
int:1:0:$n:$n:pending
END
first= attribute=committed: again=start
if [ "$kind" = linear ]; then
    echo "int:1:-1:$last:-1:first"
    attribute='' again=aborted
    first='; if (first < 0 \&\& msg_op == 1) then first = msg_id end'
fi

for i in $(seq 0 $last); do
    cat <<END
clock:1:c$i
process:Tx$i
location:Tx$i:go{initial: : committed:}
location:Tx$i:start{committed:}
location:Tx$i:wait_r{}
location:Tx$i:update{invariant: c$i <= 1}
location:Tx$i:wait_w{}
location:Tx$i:result{committed:}
location:Tx$i:committed{}
location:Tx$i:aborted{$attribute}
edge:Tx$i:go:start:tau{}
edge:Tx$i:start:wait_r:req_$i{do: msg_id = $i; msg_op = 0}
edge:Tx$i:wait_r:update:pipe_$i{do: c$i = 0}
edge:Tx$i:update:wait_w:req_$i{provided: c$i == 1 : do: msg_id = $i; msg_op = 1}
edge:Tx$i:wait_w:result:pipe_$i{}
edge:Tx$i:result:committed:tau{provided: result[$i] == 1 : do: pending = pending - 1}
edge:Tx$i:result:aborted:tau{provided: result[$i] == 2}
edge:Tx$i:committed:committed:tau{}
edge:Tx$i:aborted:$again:tau{}
END
done

cat <<END
process:Queue
location:Queue:wait{initial:}
location:Queue:forward{committed:}
location:Queue:processed{committed:}
edge:Queue:forward:wait:mem_req{provided: busy == 0}
edge:Queue:forward:wait:tau{provided: busy == 1}
edge:Queue:wait:processed:mem_done{do: current = (current + 1) % $n; waiting = waiting - 1}
edge:Queue:processed:wait:tau{provided: waiting == 0}
edge:Queue:processed:forward:mem_req{provided: waiting > 0}
END
for i in $(seq 0 $last); do
    echo "edge:Queue:wait:forward:req_$i{do: queue_id[(current + waiting) % $n] = msg_id; queue_op[(current + waiting) % $n] = msg_op; waiting = waiting + 1}" |
        sed "s/}\$/$first}/"
done
cat <<END
clock:1:c
process:Memory
location:Memory:wait{initial:}
location:Memory:processing{urgent:}
location:Memory:read{invariant: c <= 1}
location:Memory:write{invariant: c <= 1}
location:Memory:done{committed:}
location:Memory:send_rsp{urgent:}
edge:Memory:wait:processing:mem_req{do: busy = 1; owner_id = queue_id[current]; owner_op = queue_op[current]}
edge:Memory:processing:read:tau{provided: owner_op == 0 : do: c = 0}
edge:Memory:processing:write:tau{provided: owner_op == 1 : do: c = 0}
edge:Memory:read:done:tau{provided: c == 1 : do: read[owner_id] = version}
edge:Memory:write:done:tau{provided: c == 1 && read[owner_id] == version : do: version = version + 1; result[owner_id] = 1}
edge:Memory:write:done:tau{provided: c == 1 && read[owner_id] != version : do: result[owner_id] = 2}
edge:Memory:send_rsp:wait:mem_done{do: busy = 0}
END
for i in $(seq 0 $last); do echo "edge:Memory:done:send_rsp:pipe_$i{provided: owner_id == $i}"; done
for i in $(seq 0 $last); do printf 'sync:Tx%d@req_%d:Queue@req_%d\nsync:Tx%d@pipe_%d:Memory@pipe_%d\n' "$i" "$i" "$i" "$i" "$i" "$i"; done
printf 'sync:Queue@mem_req:Memory@mem_req\nsync:Queue@mem_done:Memory@mem_done\n'
