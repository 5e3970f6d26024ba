#!/bin/sh
# Records which functions of the daemon run, for link.sh: rewrites packaging/functions-in-use.
#
#   record-functions.sh
#
# As root, after `make deb`. In a container of Debian 12 the daemon runs under valgrind while a user signs in, follows the
# location, asks for it once and is refused. Once in a while is enough: a function that is not in the list, or has another
# name by now, is put elsewhere, and costs memory, not correctness.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "Containers need root" >&2; exit 1; }
"$source/Tests/Rig/packages.sh" deb-test
. "$source/packaging/container/container.sh"

package=$(ls "$source"/geopublicist_*.deb)
# With its symbols, which the package's own has not.
daemon=$(ls "$source"/.build-deb/geopublicist-*/.build/geopublicistd)
containers=$source/.build-deb/containers
name=geopublicist-functions
folder=$containers/$name
clean_up() {
  stop_container
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

"$source/packaging/container/root.sh" bookworm "$containers/bookworm-valgrind" valgrind
rm -rf "$folder"
cp -a --reflink=auto "$containers/bookworm-valgrind" "$folder"
mkdir "$folder/srv/tests" "$folder/srv/calls"
chmod 777 "$folder/srv/calls"
cp "$source"/packaging/debian/tests/* "$source/packaging/container/scenario.py" "$folder/srv/tests"
cp "$package" "$folder/srv/package.deb"
cp "$daemon" "$folder/srv/geopublicistd"
start_container

inside env DEBIAN_FRONTEND=noninteractive apt-get -q -y install /srv/package.deb > /dev/null
# valgrind wants much that the service's sandbox forbids.
inside mkdir -p /etc/systemd/system/geopublicist.service.d
inside tee /etc/systemd/system/geopublicist.service.d/valgrind.conf > /dev/null << 'END'
[Service]
ExecStart=
ExecStart=/usr/bin/valgrind --tool=callgrind --demangle=no --compress-strings=no --compress-pos=no \
  --callgrind-out-file=/srv/calls/%%p /srv/geopublicistd
WatchdogSec=0
TimeoutStartSec=5min
ProtectSystem=no
PrivateTmp=no
PrivateUsers=no
ProtectProc=default
ProcSubset=all
LockPersonality=no
MemoryDenyWriteExecute=no
SystemCallFilter=
MemoryMax=infinity
END
inside systemctl daemon-reload
serve_inside /srv/tests/scenario.py
stop_container

# What the first process ran, which answered one call, comes before what the second one ran besides. A function that called
# itself has a number behind an apostrophe; one without a name has an address. Some names
# of generic functions are longer than a line of a text may be.
for calls in $(ls -tr "$folder"/srv/calls/*); do
  awk '/^ob=/ { ours = $0 == "ob=/srv/geopublicistd" } ours && sub(/^fn=/, "")' "$calls" |
    sed "s/'[0-9]*$//" | grep -v -e '^0x' -e '^(' -e '.\{500\}' | LC_ALL=C sort -u
done | awk '!known[$0]++' > "$folder/functions"
[ -s "$folder/functions" ]
mv "$folder/functions" "$source/packaging/functions-in-use"
echo "$(wc -l < "$source/packaging/functions-in-use") functions"
