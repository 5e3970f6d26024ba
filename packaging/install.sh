#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the results of `make build` and all related files. Run by `make install`.
#
#   install.sh                 installs
#   install.sh --uninstall     removes the files that it would install with the same variables, and its own folders if empty
#
# Environment variables or make variables select the folders:
#
#   PREFIX             prefix of the programs, manual and completions (/usr/local)
#   DESTDIR            prepended to every path, for packaging
#   SYSTEMUNITDIR      and the other variables below: folders of the bus, systemd and polkit (from pkg-config)
#   PROGRAMS           the folder of the built programs (.build/release)
#
# The service reads its configuration from /etc/geopublicist. CONFIGDIR is the folder for the installed configuration file.
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
# Only where AppArmor is in use, or if requested for a package; empty means no.
[ ! -d /etc/apparmor.d ] || APPARMORDIR=${APPARMORDIR-/etc/apparmor.d}

share=$prefix/share
edited=$(mktemp)
trap 'rm -f "$edited"' EXIT

# Whether a file is not the one to be installed; if so, says that it is kept.
is_changed() {
  [ -e "${DESTDIR:-}$2" ] && ! cmp -s "$1" "${DESTDIR:-}$2" && echo "Kept because it may have been changed: ${DESTDIR:-}$2"
}

case ${1:-} in
  '')
    for program in geopublicistd geopublicist; do
      [ -x "$programs/$program" ] || { echo "$programs/$program is missing: run make build first" >&2; exit 1; }
    done
    [ -d .build/share/locale ] || po/build.sh .build/share/locale
    # place SOURCE TARGET [MODE]
    place() {
      case $2 in
        /etc/geopublicist/*) ! is_changed "$@" || return 0 ;;
      esac
      install -D -m "${3:-644}" "$1" "${DESTDIR:-}$2"
    }
    ;;
  --uninstall)
    place() {
      case $2 in
        /etc/*) ! is_changed "$@" || return 0 ;;
      esac
      rm -f "${DESTDIR:-}$2"
    }
    ;;
  *) echo "usage: install.sh [--uninstall]" >&2; exit 2 ;;
esac

file() { place "$1" "$2/${3:-$(basename "$1")}"; }

# Installs a file that contains the path of a program.
file_with_path() {
  sed "s|/usr/libexec/geopublicistd|$libexec/geopublicistd|; s|/usr/bin/geopublicist |$prefix/bin/geopublicist |
    s|/usr/{,local/}share/geopublicist|$share/geopublicist|; s|/usr/share/geopublicist|$share/geopublicist|" \
    "$1" > "$edited"
  place "$edited" "$2/$(basename "$1")"
}

place "$programs/geopublicistd" "$libexec/geopublicistd" 755
place "$programs/geopublicist" "$prefix/bin/geopublicist" 755

file packaging/geopublicist.conf "${CONFIGDIR:-/etc/geopublicist}"
for interface in dbus/org.geopublicist.*.xml; do file "$interface" "$BUSINTERFACEDIR"; done
file dbus/org.geopublicist.Location1.conf "$BUSPOLICYDIR"
file dbus/system-services/org.geopublicist.Location1.service "$SYSTEMSERVICEDIR"
file_with_path dbus/services/org.geopublicist.Location1.service "$SESSIONSERVICEDIR"
file packaging/sysusers/geopublicist.conf "$SYSUSERSDIR"
for unit in packaging/systemd/system/*.service; do file_with_path "$unit" "$SYSTEMUNITDIR"; done
for unit in packaging/systemd/user/*.service; do file_with_path "$unit" "$USERUNITDIR"; done
for policy in packaging/polkit/*.policy; do file "$policy" "$ACTIONDIR"; done
[ -z "${APPARMORDIR:-}" ] || file_with_path packaging/apparmor/usr.libexec.geopublicistd "$APPARMORDIR"

file .build/share/geopublicist/places "$share/geopublicist"
for language in po/*.po; do
  catalogs=locale/$(basename "$language" .po)/LC_MESSAGES
  file ".build/share/$catalogs/geopublicist.mo" "$share/$catalogs"
done
file packaging/metainfo/org.geopublicist.Location1.metainfo.xml "$share/metainfo"
file packaging/org.geopublicist.Location1.desktop "$share/applications"
for page in packaging/man/*.?; do file_with_path "$page" "$share/man/man${page##*.}"; done
packaging/manual.py > "$edited"
place "$edited" "$share/man/man5/org.geopublicist.Location1.5"
file packaging/completions/geopublicist.bash "$share/bash-completion/completions" geopublicist
file packaging/completions/_geopublicist "$ZSHCOMPLETIONDIR"
file packaging/completions/geopublicist.fish "$share/fish/vendor_completions.d"
for document in README.md CHANGELOG.md SECURITY.md; do file "$document" "$share/doc/geopublicist"; done
file packaging/places/README.md "$share/doc/geopublicist" places.md
file LICENSE "$share/licenses/geopublicist"
examples=$share/doc/geopublicist/examples
for rules in packaging/polkit/*.rules; do file "$rules" "$examples"; done
file Examples/README.md "$examples"
for folder in articles c combine javascript python qt recipes shell short swift tasks testing; do
  for example in Examples/"$folder"/*; do file "$example" "$examples/$folder"; done
done

if [ -n "${1:-}" ]; then
  for folder in /etc/geopublicist "$share/geopublicist" "$share/doc/geopublicist" "$share/licenses/geopublicist"; do
    [ ! -d "${DESTDIR:-}$folder" ] || find "${DESTDIR:-}$folder" -depth -type d -empty -delete
  done
  [ -n "${DESTDIR:-}" ] || cat << END
Removed, except the user geopublicist. As root, once:
  systemctl stop geopublicist geopublicist-timezone; systemctl daemon-reload && systemctl reload dbus
END
  exit
fi
[ -n "${DESTDIR:-}" ] || cat << END
Installed. The message bus starts the service when a program calls it; as root, once:
  systemd-sysusers && systemctl daemon-reload && systemctl reload dbus
END
[ -n "${DESTDIR:-}" ] || [ -z "${APPARMORDIR:-}" ] || cat << END
  apparmor_parser --replace $APPARMORDIR/usr.libexec.geopublicistd
END
