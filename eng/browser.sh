# Sourced by ./test: what building the report's page and opening it in a browser needs. Root on Debian or Ubuntu gets what
# is missing; everybody else is told what to install.

node_wanted=20.19
chromium=${MILLRACE_CHROMIUM:-/usr/bin/chromium}

node_is_new_enough() {
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 &&
    node -e 'const [a, b] = process.versions.node.split("."), [c, d] = process.argv[1].split(".");
             process.exit(a > c - 0 || (a === c && b - 0 >= d - 0) ? 0 : 1)' "$node_wanted"
}

can_install() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; }

install_packages() {
  echo "Installing $* ..."
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
    { apt-get update >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null; }
}

# Says why not, when it returns 1.
require_browser() {
  if can_install; then
    command -v node >/dev/null 2>&1 || install_packages nodejs
    # Some distributions have npm in the package of Node, others beside it.
    command -v npm >/dev/null 2>&1 || install_packages npm
    [ -x "$chromium" ] || install_packages chromium fonts-dejavu-core
  fi
  if ! node_is_new_enough; then
    echo "The report's page needs Node $node_wanted or newer with npm, and there is $(node --version 2>/dev/null || echo none). Get it from https://nodejs.org."
    return 1
  fi
  if [ ! -x "$chromium" ]; then
    echo "The report's tests need Chromium: apt-get install chromium, or set MILLRACE_CHROMIUM to its path."
    return 1
  fi
}
