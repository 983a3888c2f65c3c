#!/usr/bin/env bash
# Starts the built server and tests it with unchanged GitLab clients from Debian's packages: python-gitlab, ruby-gitlab
# and Perl's GitLab::API::v4. As root, installs missing packages.
# Tests python-gitlab's class GraphQL, which Debian's version does not have, with the interpreter COMPAT_PYTHON or
# with the package from PyPI. Without both it says that these tests did not run.
# Exits with 1 when a test fails, with 2 when a client is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

python_gitlab=8.4.0

packages=()
for package in python3-gitlab ruby-gitlab libgitlab-api-v4-perl; do
  # dpkg also lists packages that were removed.
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || packages+=("$package")
done
if [ ${#packages[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "compat: install ${packages[*]}, or run this as root" >&2
    exit 2
  fi
  export DEBIAN_FRONTEND=noninteractive
  # radosgw.sh may run at the same time, and apt allows one at a time.
  (
    flock 9
    timeout 300 apt-get update -q >/dev/null
    timeout 300 apt-get install -y -q --no-install-recommends "${packages[@]}" >/dev/null
  ) 9>"${TMPDIR:-/tmp}/alcove-apt.lock"
fi
[ -f packages/server/dist/main.js ] || npm run --silent build

folder=$(mktemp -d)
server=
stop() {
  if [ -n "$server" ] && kill "$server" 2>/dev/null; then wait "$server" || true; fi
  rm -rf "$folder"
}
trap stop EXIT

export ALCOVE_TOKEN=token-of-the-compat-run
settings=(ALCOVE_DATA="$folder/data" ALCOVE_PORT=0 ALCOVE_BOOTSTRAP_TOKEN="$ALCOVE_TOKEN")
env --unset=ALCOVE_TOKEN --unset=ALCOVE_URL "${settings[@]}" node packages/server/dist/main.js >"$folder/log" 2>&1 &
server=$!

ALCOVE_URL=
for _ in $(seq 150); do
  ALCOVE_URL=$(sed -n 's/^Alcove serves //p' "$folder/log")
  if [ -n "$ALCOVE_URL" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
if [ -z "$ALCOVE_URL" ]; then
  cat "$folder/log" >&2
  exit 1
fi
export ALCOVE_URL

failed=0
run_client() {
  echo "== $*"
  timeout 120 "$@" || failed=1
}
# Runs the scenarios of the class GraphQL, if python-gitlab 5.0 or newer can be had.
graphql_python() {
  local python=${COMPAT_PYTHON:-$folder/venv/bin/python}
  if [ -z "${COMPAT_PYTHON:-}" ]; then
    if ! { python3 -m venv "$folder/venv" && timeout 120 "$python" -m pip install --quiet --retries 0 --timeout 10 \
      "python-gitlab[graphql]==$python_gitlab"; } >"$folder/pip" 2>&1; then
      echo "compat: python-gitlab $python_gitlab is not installable, so its class GraphQL was not tested"
      return
    fi
  fi
  run_client "$python" tests/compat/python-gitlab/run.py graphql_class
}
# Debian's own interpreters, for which the packages are installed.
run_client /usr/bin/python3 tests/compat/python-gitlab/run.py
graphql_python
run_client /usr/bin/ruby tests/compat/ruby-gitlab/run.rb
run_client /usr/bin/perl tests/compat/perl-gitlab/run.pl

if grep '"level":50' "$folder/log"; then
  echo 'compat: the server logged errors, see above' >&2
  failed=1
fi
exit "$failed"
