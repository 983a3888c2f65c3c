#!/usr/bin/env bash
# Tests virus scans against a real clamd from Debian's packages, with one signature of our own: the EICAR test file.
# As root, installs clamd where it is missing. Where it cannot be installed, says so and skips the test.
# Starts clamd on loopback in a folder that is removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

start_seconds=30
test_seconds=120

skip() {
  echo "clamd.sh: skipped, $1"
  exit 0
}

if ! command -v clamd >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    skip 'clamd is missing; install the Debian package clamav-daemon, or run as root on Debian'
  fi
  export DEBIAN_FRONTEND=noninteractive
  # Other scripts may run at the same time, and apt allows one at a time.
  (
    flock -w 600 9
    timeout 120 apt-get update -qq
    timeout 300 apt-get install -qq -y --no-install-recommends clamav-daemon >/dev/null
  ) 9>"${TMPDIR:-/tmp}/alcove-apt.lock" || skip 'the Debian package clamav-daemon cannot be installed'
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/alcove-clamd-XXXXXX")
pid=
stop() {
  if [ -n "$pid" ]; then
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

port=$(node -e '
  const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(server.address().port)
    server.close()
  })')

mkdir "$folder/signatures"
# The test file in parts, so that no scanner finds it in this script.
eicar='X5O!P%@AP[4\PZX54(P^)7CC)7}$'
eicar+='EICAR-STANDARD-ANTIVIRUS'
eicar+='-TEST-FILE!$H+H*'
printf 'Alcove.Eicar:0:*:%s\n' "$(printf %s "$eicar" | od -An -v -tx1 | tr -d ' \n')" >"$folder/signatures/alcove.ndb"

cat >"$folder/clamd.conf" <<END
DatabaseDirectory $folder/signatures
TCPSocket $port
TCPAddr 127.0.0.1
LocalSocket $folder/clamd.sock
TemporaryDirectory $folder
Foreground yes
StreamMaxLength 2M
MaxFileSize 1M
AlertExceedsMax yes
END
clamd --config-file="$folder/clamd.conf" >"$folder/clamd.log" 2>&1 &
pid=$!
deadline=$((SECONDS + start_seconds))
until node -e "require('node:net').connect($port, '127.0.0.1').once('connect', () => process.exit(0)).once('error', () => process.exit(1))"; do
  if [ $SECONDS -ge $deadline ] || ! kill -0 "$pid" 2>/dev/null; then
    echo "clamd.sh: clamd did not start in $start_seconds s" >&2
    cat "$folder/clamd.log" >&2
    exit 1
  fi
  sleep 0.2
done
echo "$(clamd --version) listens on 127.0.0.1:$port"

ALCOVE_TEST_CLAMD="127.0.0.1:$port" ALCOVE_TEST_CLAMD_SOCKET="$folder/clamd.sock" \
  timeout "$test_seconds" npx vitest run --project sqlite packages/server/src/api/v4/uploads/real-clamd.api.test.ts
