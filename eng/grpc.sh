#!/usr/bin/env bash
# What the tests of gRPC with foreign peers need: installs it where root can, and builds it into artifacts/grpc/, which git
# ignores, only when something changed. Sourced by ./test after eng/browser.sh, which knows how Node comes; or run by itself:
#
#   eng/grpc.sh core     the program of the C++ core alone, which the laboratory measures too
#   eng/grpc.sh          everything
grpc_output=artifacts/grpc
grpc_core_source=src/Millrace.Lab/GrpcCore/millrace_grpc_core.cc
grpc_protos="millrace/v1/file_transfer.proto grpc/health/v1/health.proto"
grpc_core_packages="g++ pkg-config libgrpc++-dev libprotobuf-dev libssl-dev protobuf-compiler protobuf-compiler-grpc"
grpc_python_packages="python3-grpcio python3-protobuf"

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

has_grpc_core() {
  command -v g++ >/dev/null 2>&1 && command -v protoc >/dev/null 2>&1 && command -v grpc_cpp_plugin >/dev/null 2>&1 &&
    pkg-config --exists grpc++ protobuf libcrypto
}

compile_grpc_core() {
  local generated=$grpc_output/cpp
  mkdir -p "$generated" &&
    protoc -I proto --cpp_out="$generated" --grpc_out="$generated" \
      --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" $grpc_protos || return 1
  # To another name first: what runs may still run, and what is cut is never taken for the program.
  g++ -std=c++17 -O2 -I "$generated" "$grpc_core_source" "$generated"/millrace/v1/*.cc "$generated"/grpc/health/v1/*.cc \
    $(pkg-config --cflags --libs grpc++ protobuf libcrypto) -o "$grpc_output/millrace_grpc_core.new" &&
    mv "$grpc_output/millrace_grpc_core.new" "$grpc_output/millrace_grpc_core"
}

# Says why not, when it returns 1.
require_grpc_core() {
  # shellcheck disable=SC2086
  has_grpc_core || { can_install && install_packages $grpc_core_packages; }
  if ! has_grpc_core; then
    echo "The C++ peer of gRPC needs $grpc_core_packages: apt-get install $grpc_core_packages."
    return 1
  fi
  mkdir -p "$grpc_output"
  # The library's version is a part of what the program is made of.
  pkg-config --modversion grpc++ protobuf >"$grpc_output/core.versions"
  once_for "$grpc_output/core.made" eng/grpc.sh "$grpc_core_source" "$grpc_output/core.versions" \
    $(printf 'proto/%s ' $grpc_protos) -- compile_grpc_core
}

has_grpc_python() { /usr/bin/python3 -c 'import grpc, google.protobuf' >/dev/null 2>&1; }

generate_grpc_python() {
  # shellcheck disable=SC2086
  rm -rf "$grpc_output/python" && mkdir -p "$grpc_output/python" &&
    protoc -I proto --python_out="$grpc_output/python" $grpc_protos &&
    # `grpc` is also what grpcio is called: a folder without __init__.py would hide behind it.
    mv "$grpc_output/python/grpc/health/v1/health_pb2.py" "$grpc_output/python/millrace/v1/health_pb2.py" &&
    rm -r "$grpc_output/python/grpc"
}

generate_grpc_web() {
  rm -rf "$grpc_output/web" && mkdir -p "$grpc_output/web/generated" || return 1
}

# Says why not, when it returns 1.
require_grpc_peers() {
  require_grpc_core || return 1
  # shellcheck disable=SC2086
  has_grpc_python || { can_install && install_packages $grpc_python_packages; }
  if ! has_grpc_python; then
    echo "The Python peer of gRPC needs $grpc_python_packages: apt-get install $grpc_python_packages."
    return 1
  fi
  if can_install; then
    command -v node >/dev/null 2>&1 || install_packages nodejs
    command -v npm >/dev/null 2>&1 || install_packages npm
    command -v curl >/dev/null 2>&1 || install_packages curl
  fi
  if ! node_is_new_enough; then
    echo "The peers of gRPC need Node $node_wanted or newer with npm, and there is $(node --version 2>/dev/null || echo none). Get it from https://nodejs.org."
    return 1
  fi
  if ! command -v curl >/dev/null 2>&1; then
    echo "The tests of gRPC need curl: apt-get install curl."
    return 1
  fi
  once_for "$grpc_output/python.made" eng/grpc.sh $(printf 'proto/%s ' $grpc_protos) -- generate_grpc_python || return 1
  # As it is from the last time, unless the lock file changed since.
  [ tests/interop/grpc/node_modules/.package-lock.json -nt tests/interop/grpc/package-lock.json ] ||
    npm ci --prefix tests/interop/grpc --ignore-scripts --no-audit --no-fund || return 1
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -u -o pipefail
  cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
  . eng/browser.sh
  case "${1:-all}" in
    core) require_grpc_core ;;
    *) require_grpc_peers ;;
  esac
fi
