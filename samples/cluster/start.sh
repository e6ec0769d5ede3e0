#!/usr/bin/env bash
# Starts an S3 server (Ceph), three `millrace serve` on one bucket and nginx in front of them, all on this machine, and stops them
# on Ctrl-C or when its input ends. Needs Debian's packages ceph-mon, ceph-osd, radosgw, s3cmd and nginx.
# Usage: start.sh [SERVERS] [PORT]     MILLRACE=COMMAND runs another millrace, and CEPH=URL uses an S3 server that runs already
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
count=${1:-3} port=${2:-8080}
folder=$(mktemp -d "${TMPDIR:-/tmp}/millrace-cluster-XXXXXX")
export AWS_ACCESS_KEY_ID=testkey AWS_SECRET_ACCESS_KEY=testsecret
bucket=cluster-$(date +%s%N)

stop() {
  trap '' INT TERM
  # nginx first, gracefully: the servers finish what they have, then their store goes.
  [ -z "${nginx:-}" ] || { kill -QUIT "$nginx" && wait "$nginx"; } 2>/dev/null || true
  touch "$folder/stopping"
  for file in "$folder"/server-*.pid; do [ ! -e "$file" ] || kill -TERM "$(cat "$file")" 2>/dev/null || true; done
  [ ${#servers[@]} -eq 0 ] || wait "${servers[@]}" 2>/dev/null || true
  [ -z "${ceph:-}" ] || { exec 9>&- && wait "$ceph"; } || true
  rm -rf "$folder"
}
servers=()
trap stop EXIT
trap 'exit 130' INT TERM

free_ports() {
  python3 -c 'import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(one.getsockname()[1] for one in held))' "$1"
}

# One server, which is started again when it dies, as systemd would. --grace is shorter than nginx's worker_shutdown_timeout.
serve() {
  while [ ! -e "$folder/stopping" ]; do
    ${MILLRACE:-./millrace} serve "s3://$bucket" --s3-endpoint "$CEPH" --s3-path-style --port "${ports[$1]}" --quiet --grace 20s --trusted-proxy 127.0.0.1 </dev/null &
    echo $! >"$folder/server-$1.pid"
    wait $! || sleep 0.5
  done 2>>"$folder/servers.log"
}

read -r grpc_port ports <<<"$(free_ports $((count + 2)))"
if [ "$port" = 0 ]; then port=${ports%% *}; fi
read -ra ports <<<"${ports#* }"

if [ -z "${CEPH:-}" ]; then
  mkfifo "$folder/input" "$folder/output"
  eng/ceph.sh run "$folder/ceph" <"$folder/input" >"$folder/output" &
  ceph=$!
  exec 9>"$folder/input"
  read -r CEPH <"$folder/output"
fi
s3cmd --access_key="$AWS_ACCESS_KEY_ID" --secret_key="$AWS_SECRET_ACCESS_KEY" --host="${CEPH#*://}" --host-bucket="${CEPH#*://}" \
  --no-ssl --quiet mb "s3://$bucket" 9>&-

members=""
for i in $(seq 0 $((count - 1))); do
  serve "$i" 9>&- &
  servers+=($!)
  members+="server 127.0.0.1:${ports[$i]} max_fails=1 fail_timeout=5s; "
done
for i in $(seq 0 $((count - 1))); do
  for _ in $(seq 300); do
    (exec 3<>"/dev/tcp/127.0.0.1/${ports[$i]}") 2>/dev/null && continue 2
    sleep 0.1
  done
  echo "Server $i did not start:" >&2
  tail -n 5 "$folder/servers.log" >&2
  exit 1
done

sed -e "s|@SERVERS@|$members|; s|@FOLDER@|$folder|; s|@PORT@|$port|g; s|@GRPC_PORT@|$grpc_port|g" samples/cluster/nginx.conf.in \
  >"$folder/nginx.conf"
"$(command -v nginx || echo /usr/sbin/nginx)" -e "$folder/nginx.error.log" -p "$folder" -c "$folder/nginx.conf" 9>&- </dev/null &
nginx=$!
for _ in $(seq 100); do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
  kill -0 "$nginx" 2>/dev/null || exit 1
  sleep 0.05
done

cat <<READY
ready http://127.0.0.1:$port/files/ $folder $bucket $CEPH http://127.0.0.1:$grpc_port
$count servers serve s3://$bucket behind nginx. Try, in another terminal:

  ./millrace put FILE http://127.0.0.1:$port/files/
  kill -KILL \$(cat $folder/server-0.pid)      # while a large file is uploaded: it goes on with another server
  ./millrace ls http://127.0.0.1:$port/files/
  ./millrace get http://127.0.0.1:$port/files/FILE

gRPC is at http://127.0.0.1:$grpc_port. Ctrl-C stops everything and deletes what was stored.
READY
cat >/dev/null || true
[ ! -t 0 ] || wait "$nginx"
