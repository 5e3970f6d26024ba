#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the results of `make build` and all related files. Run by `make install`.
#
# Environment variables or make variables select the folders:
#
#   PREFIX             prefix of the programs, manual and completions (/usr/local)
#   DESTDIR            prepended to every path, for packaging
#   SYSTEMUNITDIR      and the other variables below: folders of the bus, systemd and polkit (from pkg-config)
#   PROGRAMS           the folder of the built programs (.build/release)
#
# The configuration is always in /etc/geopublicist.
set -eu
cd "$(dirname -- "$0")/.."
prefix=${PREFIX:-/usr/local}
libexec=$prefix/libexec
programs=${PROGRAMS:-.build/release}

# Prints a pkg-config variable of a package, or the given default without it.
variable() { pkg-config --variable="$2" "$1" 2> /dev/null | grep . || echo "$3"; }

busdata=$(variable dbus-1 datadir /usr/share)/dbus-1
BUSPOLICYDIR=${BUSPOLICYDIR:-$busdata/system.d}
BUSINTERFACEDIR=${BUSINTERFACEDIR:-$(variable dbus-1 interfaces_dir "$busdata/interfaces")}
SYSTEMSERVICEDIR=${SYSTEMSERVICEDIR:-$(variable dbus-1 system_bus_services_dir "$busdata/system-services")}
SESSIONSERVICEDIR=${SESSIONSERVICEDIR:-$(variable dbus-1 session_bus_services_dir "$busdata/services")}
SYSTEMUNITDIR=${SYSTEMUNITDIR:-$(variable systemd systemdsystemunitdir /usr/lib/systemd/system)}
USERUNITDIR=${USERUNITDIR:-$(variable systemd systemduserunitdir /usr/lib/systemd/user)}
SYSUSERSDIR=${SYSUSERSDIR:-$(variable systemd sysusersdir /usr/lib/sysusers.d)}
ACTIONDIR=${ACTIONDIR:-$(variable polkit-gobject-1 actiondir /usr/share/polkit-1/actions)}
ZSHCOMPLETIONDIR=${ZSHCOMPLETIONDIR:-$prefix/share/zsh/site-functions}
# Only where AppArmor is in use, or if requested for a package.
[ ! -d /etc/apparmor.d ] || APPARMORDIR=${APPARMORDIR:-/etc/apparmor.d}

for program in geopublicistd geopublicist; do
  [ -x "$programs/$program" ] || { echo "$programs/$program is missing: run make build first" >&2; exit 1; }
done

file() { install -D -m 644 "$1" "${DESTDIR:-}$2/${3:-$(basename "$1")}"; }

# Installs a file that contains the path of a program.
file_with_path() {
  file "$1" "$2"
  sed -i "s|/usr/libexec/geopublicistd|$libexec/geopublicistd|; s|/usr/bin/geopublicist |$prefix/bin/geopublicist |" \
    "${DESTDIR:-}$2/$(basename "$1")"
}

install -D -m 755 "$programs/geopublicistd" "${DESTDIR:-}$libexec/geopublicistd"
install -D -m 755 "$programs/geopublicist" "${DESTDIR:-}$prefix/bin/geopublicist"

file packaging/geopublicist.conf /etc/geopublicist
for interface in dbus/org.geopublicist.*.xml; do file "$interface" "$BUSINTERFACEDIR"; done
file dbus/org.geopublicist.Location1.conf "$BUSPOLICYDIR"
file dbus/system-services/org.geopublicist.Location1.service "$SYSTEMSERVICEDIR"
file_with_path dbus/services/org.geopublicist.Location1.service "$SESSIONSERVICEDIR"
file packaging/sysusers/geopublicist.conf "$SYSUSERSDIR"
file_with_path packaging/systemd/system/geopublicist.service "$SYSTEMUNITDIR"
for unit in packaging/systemd/user/*.service; do file_with_path "$unit" "$USERUNITDIR"; done
for policy in packaging/polkit/*.policy; do file "$policy" "$ACTIONDIR"; done
[ -z "${APPARMORDIR:-}" ] || file_with_path packaging/apparmor/usr.libexec.geopublicistd "$APPARMORDIR"

share=$prefix/share
file packaging/metainfo/org.geopublicist.Location1.metainfo.xml "$share/metainfo"
file packaging/org.geopublicist.Location1.desktop "$share/applications"
for page in packaging/man/*.?; do file "$page" "$share/man/man${page##*.}"; done
file packaging/completions/geopublicist.bash "$share/bash-completion/completions" geopublicist
file packaging/completions/_geopublicist "$ZSHCOMPLETIONDIR"
file packaging/completions/geopublicist.fish "$share/fish/vendor_completions.d"
for document in README.md CHANGELOG.md SECURITY.md; do file "$document" "$share/doc/geopublicist"; done
examples=$share/doc/geopublicist/examples
for rules in packaging/polkit/*.rules; do file "$rules" "$examples"; done
file Examples/README.md "$examples"
for folder in articles c javascript python recipes shell short swift tasks whereami; do
  for example in Examples/"$folder"/*; do file "$example" "$examples/$folder"; done
done

[ -n "${DESTDIR:-}" ] || cat << END
Installed. The message bus starts the service when a program calls it; as root, once:
  systemd-sysusers && systemctl daemon-reload && systemctl reload dbus
END
