#!/usr/bin/env bash
# Runs the tests of files in a bucket against a real, independent S3 server: Ceph's radosgw, from Debian's packages.
# With arguments, runs them as a command with ALCOVE_TEST_S3_… set.
# Starts one monitor, one OSD with its data in memory and one gateway on loopback, in a folder that is removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

start_seconds=90
test_seconds=300
programs=(ceph-mon ceph-osd radosgw radosgw-admin ceph ceph-authtool monmaptool)
packages=(ceph-mon ceph-osd radosgw ceph-common)

missing() {
  local program
  for program in "${programs[@]}"; do command -v "$program" >/dev/null || echo "$program"; done
}

if [ -n "$(missing)" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "radosgw.sh: missing $(missing | xargs); install the Debian packages ${packages[*]}, or run as root on Debian" >&2
    exit 2
  fi
  export DEBIAN_FRONTEND=noninteractive
  # compat.sh may run at the same time, and apt allows one at a time.
  (
    flock 9
    timeout 120 apt-get update -qq
    timeout 600 apt-get install -qq -y --no-install-recommends "${packages[@]}" >/dev/null
  ) 9>"${TMPDIR:-/tmp}/alcove-apt.lock"
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/alcove-radosgw-XXXXXX")
pids=()
stop() {
  # Stop the gateway first, because it waits long for an OSD that has stopped.
  local index
  for ((index = ${#pids[@]} - 1; index >= 0; index--)); do
    kill -KILL "${pids[index]}" 2>/dev/null || true
    wait "${pids[index]}" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

fail() {
  echo "radosgw.sh: $1" >&2
  tail -n 20 "$folder"/*.log >&2 || true
  exit 1
}

# Three free ports.
read -r mon2 mon1 gateway < <(node -e '
  const { createServer } = require("node:net")
  const servers = [1, 2, 3].map(() => createServer().listen(0, "127.0.0.1"))
  Promise.all(servers.map((server) => new Promise((listening) => server.once("listening", listening)))).then(() => {
    console.log(servers.map((server) => server.address().port).join(" "))
    for (const server of servers) server.close()
  })')
monitors="[v2:127.0.0.1:$mon2,v1:127.0.0.1:$mon1]"
fsid=$(node -p 'crypto.randomUUID()')
osd_id=$(node -p 'crypto.randomUUID()')

# Keep cephx enabled: without it, this radosgw hangs in its first request to the monitor.
export CEPH_CONF="$folder/ceph.conf"
cat >"$CEPH_CONF" <<END
[global]
fsid = $fsid
mon initial members = a
mon host = $monitors
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
keyring = $folder/keyring
run dir = $folder
admin socket = $folder/\$name.asok
log file = $folder/\$name.log
crash dir = $folder
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
[mon]
mon data = $folder/mon
mon cluster log file = $folder/cluster.log
mon data avail crit = 1
[osd]
osd data = $folder/osd
osd objectstore = memstore
memstore device bytes = 2147483648
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$gateway
rgw data = $folder/rgw
rgw enable usage log = false
END

mkdir "$folder/mon" "$folder/osd" "$folder/rgw"
ceph-authtool "$folder/keyring" --create-keyring --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n client.rgw --cap mon 'allow rwx' --cap osd 'allow rwx' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *' >/dev/null
monmaptool --create --fsid "$fsid" --addv a "$monitors" "$folder/monmap" >/dev/null
ceph-mon --mkfs -i a --monmap "$folder/monmap" --keyring "$folder/keyring" >/dev/null

launch() {
  "$@" >>"$folder/output.log" 2>&1 &
  pids+=($!)
}
until_done() { # what, command …
  local what=$1 deadline=$((SECONDS + start_seconds))
  shift
  until timeout 10 "$@" >>"$folder/output.log" 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "$what did not start in $start_seconds s"
    sleep 0.3
  done
}

launch ceph-mon -i a -f
until_done 'the monitor' ceph osd new "$osd_id" 0
ceph-osd -i 0 --mkfs --osd-uuid "$osd_id" >>"$folder/output.log" 2>&1 || fail 'the OSD has no store'
launch ceph-osd -i 0 -f
until_done 'the OSD' sh -c 'ceph osd stat | grep -q "1 up"'
launch radosgw -n client.rgw -f
until_done 'the gateway' node -e "fetch('http://127.0.0.1:$gateway').catch(() => process.exit(1))"

access_key=alcove-test
secret_key=$(node -p 'crypto.randomUUID()')
timeout 60 radosgw-admin user create --uid alcove --display-name Alcove \
  --access-key "$access_key" --secret "$secret_key" >>"$folder/output.log" 2>&1 || fail 'the user was not created'
echo "radosgw $(radosgw --version | cut -d' ' -f3) serves http://127.0.0.1:$gateway after $SECONDS s"

export ALCOVE_TEST_S3_ENDPOINT="http://127.0.0.1:$gateway"
export ALCOVE_TEST_S3_ACCESS_KEY="$access_key"
export ALCOVE_TEST_S3_SECRET_KEY="$secret_key"
if [ $# -eq 0 ]; then
  set -- npx vitest run --project pure --project sqlite \
    packages/server/src/platform/object-store/{objects.s3,copy}.test.ts packages/server/src/api/v4/uploads/bucket.api.test.ts
fi
timeout "$test_seconds" "$@"
