#!/usr/bin/env bash
# An S3 server for tests: Ceph's object gateway with one monitor and one store, from Debian's packages ceph-mon, ceph-osd and radosgw.
set -euo pipefail

usage() {
  cat <<'HELP'
eng/ceph.sh start [--bluestore] DATA [PORT]   start it, or start it again where it was
eng/ceph.sh run [--bluestore] DATA [PORT]     the same, until the input ends; then stop it and delete DATA
eng/ceph.sh kill DATA                         end its processes with SIGKILL
eng/ceph.sh stop DATA                         end its processes and delete DATA

  DATA         its folder; one that exists is used again
  PORT         where it listens on 127.0.0.1 (default: a free port)
  --bluestore  keep objects on the disk (10 GiB at most) instead of in memory, where they are lost with the process

Prints its URL when it is ready. The access key is testkey, the secret testsecret; the access key refused, of the secret
refusedsecret, may do nothing with buckets of testkey.
HELP
}

pids() { cat "$data"/*.pid 2>/dev/null || true; }

kill_all() {
  local pid
  for pid in $(pids); do kill -KILL "$pid" 2>/dev/null || true; done
  for pid in $(pids); do while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done; done
  rm -f "$data"/*.pid
}

# A daemon ends with this script if it waits for it, whatever ends the script.
daemon() {
  local name=$1
  shift
  if $waits; then set -- setpriv --pdeathsig KILL "$@"; else set -- setsid "$@"; fi
  "$@" </dev/null >>"$data/$name.out" 2>&1 &
  echo $! >"$data/$name.pid"
}

write_configuration() {
  local libraries ports
  libraries=$(dirname "$(find /usr/lib -path '*/ceph/erasure-code' -type d | head -n 1)")
  ports=$(python3 -c 'import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in held))')
  read -r free monitor <<<"$ports"
  [ "$port" != 0 ] || port=$free
  mkdir -p "$data"/{mon,osd,run}
  fsid=$(cat /proc/sys/kernel/random/uuid)
  cat >"$data/ceph.conf" <<CONFIGURATION
[global]
fsid = $fsid
mon host = v2:127.0.0.1:$monitor
auth cluster required = none
auth service required = none
auth client required = none
run dir = $data/run
admin socket =
log file =
log to stderr = true
erasure code dir = $libraries/erasure-code
plugin dir = $libraries
osd class dir = $(dirname "$libraries")/rados-classes
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail crit = 1
mon data = $data/mon
osd data = $data/osd
osd objectstore = $store
memstore device bytes = 8589934592
bluestore block size = 10737418240
osd memory target = 1073741824
osd heartbeat interval = 1
osd class load list = *
osd class default list = *
ms mon client mode = crc
paxos propose interval = 0.05
paxos min wait = 0.01
mon osd prime pg temp = false
[osd]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
[client]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $data/run
rgw enable usage log = false
rgw gc obj min wait = 1
rgw gc processor period = 5
rgw gc processor max time = 5
rgw dns name = localhost
CONFIGURATION
  monmaptool --create --clobber --fsid "$fsid" --addv a "[v2:127.0.0.1:$monitor]" "$data/monmap" >>"$data/make.out"
  ceph-mon -i a --mkfs --monmap "$data/monmap" --fsid "$fsid" >>"$data/make.out" 2>&1
}

start() {
  local new=false
  export CEPH_CONF=$data/ceph.conf
  kill_all
  [ -e "$CEPH_CONF" ] || { new=true; write_configuration; }
  port=$(sed -n 's/^rgw frontends = .*://p' "$CEPH_CONF")
  daemon mon ceph-mon -i a -f
  if $new; then
    timeout 60 ceph --connect-timeout 30 osd create "$fsid" >>"$data/make.out" 2>&1
    ceph-osd -i 0 --mkfs --osd-uuid "$fsid" >>"$data/make.out" 2>&1
  fi
  daemon osd ceph-osd -i 0 -f
  if $new; then
    timeout 60 radosgw-admin user create --uid test --display-name test --access-key testkey --secret-key testsecret >>"$data/make.out" 2>&1
    timeout 60 radosgw-admin user create --uid refused --display-name refused --access-key refused --secret-key refusedsecret >>"$data/make.out" 2>&1
  fi
  daemon rgw radosgw -n client.rgw -f
  for _ in $(seq 600); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "http://127.0.0.1:$port"
      return
    fi
    kill -0 "$(cat "$data/rgw.pid")" 2>/dev/null || break
    sleep 0.05
  done
  echo "Ceph did not start: see $data/*.out" >&2
  tail -n 5 "$data"/*.out >&2
  return 1
}

store=memstore waits=false
command=${1:-} && shift || true
[ "${1:-}" != --bluestore ] || { store=bluestore; shift; }
case $command in
  start|run|kill|stop) [ $# -ge 1 ] || { usage >&2; exit 1; } ;;
  -h|--help) usage; exit 0 ;;
  *) usage >&2; exit 1 ;;
esac
data=$(realpath -m "$1") port=${2:-0}
case $command in
  start) start ;;
  run)
    waits=true
    trap 'kill_all; rm -rf "$data"' EXIT
    start
    cat >/dev/null
    ;;
  kill) kill_all ;;
  stop) kill_all; rm -rf "$data" ;;
esac
