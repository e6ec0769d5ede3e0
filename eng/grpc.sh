#!/usr/bin/env bash
# Builds the foreign gRPC clients and servers of the tests into artifacts/grpc/, which git ignores, when something changed.
# ./test sources it; or run it.
grpc_output=artifacts/grpc
grpc_protos="millrace/v1/file_transfer.proto grpc/health/v1/health.proto"

# Runs a command unless it did so before with the same files: STAMP, then the files, then --, then the command.
once_for() {
  local stamp=$1 files=() sum
  shift
  while [ "$1" != -- ]; do files+=("$1"); shift; done
  shift
  sum=$(sha256sum "${files[@]}") || return 1
  [ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || return 0
  rm -f "$stamp"
  "$@" && echo "$sum" >"$stamp"
}

generate_grpc_python() {
  # shellcheck disable=SC2086
  rm -rf "$grpc_output/python" && mkdir -p "$grpc_output/python" &&
    protoc -I proto --python_out="$grpc_output/python" $grpc_protos &&
    # A folder `grpc` without __init__.py would be hidden by the package grpcio, which has that name.
    mv "$grpc_output/python/grpc/health/v1/health_pb2.py" "$grpc_output/python/millrace/v1/health_pb2.py" &&
    rm -r "$grpc_output/python/grpc"
}

# The script of the page with the browser clients: messages by protoc-gen-es, bundled by esbuild.
generate_grpc_web() {
  local packages=tests/interop/grpc/node_modules
  rm -rf "$grpc_output/web" && mkdir -p "$grpc_output/web/generated" &&
    protoc -I proto --plugin=protoc-gen-es="$packages/.bin/protoc-gen-es" --es_out="$grpc_output/web/generated" \
      --es_opt=target=js millrace/v1/file_transfer.proto &&
    NODE_PATH="$PWD/$packages" "$packages/.bin/esbuild" tests/interop/grpc/web/peers.mjs --bundle --format=iife \
      --log-level=warning --outfile="$grpc_output/web/peers.js"
}

build_grpc_peers() {
  once_for "$grpc_output/python.made" eng/grpc.sh $(printf 'proto/%s ' $grpc_protos) -- generate_grpc_python || return 1
  [ tests/interop/grpc/node_modules/.package-lock.json -nt tests/interop/grpc/package-lock.json ] ||
    npm ci --prefix tests/interop/grpc --ignore-scripts --no-audit --no-fund || return 1
  once_for "$grpc_output/web.made" eng/grpc.sh proto/millrace/v1/file_transfer.proto tests/interop/grpc/package-lock.json \
    tests/interop/grpc/web/*.mjs -- generate_grpc_web
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -u -o pipefail
  cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
  . eng/requirements.sh
  require_everything || exit 1
  build_grpc_peers
fi
