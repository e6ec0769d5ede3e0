# Sourced by ./test: the foreign clients with which uploads are tested. Root on Debian or Ubuntu gets what is missing;
# everybody else is told what to install. Needs eng/browser.sh, which knows how Node comes.

# Says why not, when it returns 1.
require_interop() {
  if can_install; then
    command -v node >/dev/null 2>&1 || install_packages nodejs
    command -v npm >/dev/null 2>&1 || install_packages npm
    command -v curl >/dev/null 2>&1 || install_packages curl
    /usr/bin/python3 -c 'import tusclient' >/dev/null 2>&1 || install_packages python3-tuspy
  fi
  if ! node_is_new_enough; then
    echo "The tests of uploads need Node $node_wanted or newer with npm, and there is $(node --version 2>/dev/null || echo none). Get it from https://nodejs.org."
    return 1
  fi
  if ! /usr/bin/python3 -c 'import tusclient' >/dev/null 2>&1; then
    echo "The tests of uploads need tuspy for the system's Python: apt-get install python3-tuspy."
    return 1
  fi
  if ! command -v curl >/dev/null 2>&1; then
    echo "The tests of uploads need curl: apt-get install curl."
    return 1
  fi
  # As it is from the last time, unless the lock file changed since.
  [ tests/interop/node_modules/.package-lock.json -nt tests/interop/package-lock.json ] ||
    npm ci --prefix tests/interop --ignore-scripts --no-audit --no-fund
}
