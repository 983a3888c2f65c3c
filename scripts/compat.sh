#!/usr/bin/env bash
# Starts the built server and tests it with unchanged GitLab clients from Debian's packages: python-gitlab, ruby-gitlab
# and Perl's GitLab::API::v4. As root, installs missing packages.
# Exits with 1 when a test fails, with 2 when a client is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

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
# Debian's own interpreters, for which the packages are installed.
run_client /usr/bin/python3 tests/compat/python-gitlab/run.py
run_client /usr/bin/ruby tests/compat/ruby-gitlab/run.rb
run_client /usr/bin/perl tests/compat/perl-gitlab/run.pl

if grep '"level":50' "$folder/log"; then
  echo 'compat: the server logged errors, see above' >&2
  failed=1
fi
exit "$failed"
