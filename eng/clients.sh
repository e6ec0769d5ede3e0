# Sourced by ./test: the programs of others that move files over HTTP, for the tests of the server. Root on Debian or Ubuntu
# gets what is missing; everybody else is told what to install.

require_clients() {
  local tool missing=()
  for tool in curl wget aria2c rclone; do
    command -v "$tool" >/dev/null 2>&1 || missing+=("${tool/aria2c/aria2}")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  can_install && install_packages ca-certificates "${missing[@]}" && return 0
  echo "The tests of the server need ${missing[*]}: apt-get install ${missing[*]}."
  return 1
}
