# Sourced by ./test: ip and tc, with which the laboratory makes links of a given bandwidth. Root on Debian or Ubuntu gets
# what is missing. Without root there are no such links, and their tests say so.

require_network() {
  can_install || return 0
  { command -v ip && command -v tc; } >/dev/null 2>&1 || install_packages iproute2
  command -v nsenter >/dev/null 2>&1 || install_packages util-linux
  return 0
}
