#!/usr/bin/env bash
# Restarts two processes under load behind nginx and HAProxy, with the examples of docs/operating/proxy.md, and counts the
# requests that failed. Everything runs on loopback, in a folder that is removed afterwards.
# Exits with 1 when a request failed that the proxy may repeat, with 2 when a program is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

test_seconds=115

missing=()
for program in nginx haproxy; do
  # Debian installs them in a folder that may not be in the path.
  PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || missing+=("$program")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "rolling-restart.sh: skipped, missing ${missing[*]}; install the Debian packages nginx-light and haproxy" >&2
  exit 2
fi
export PATH="$PATH:/usr/sbin"
[ -f packages/server/dist/main.js ] || npm run --silent build

timeout "$test_seconds" node_modules/.bin/tsx packages/server/tests/proxies/trial.ts "$@"
