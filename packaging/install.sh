#!/bin/sh
# Puts everything that is installed at its place below a folder: programs, bus and polkit files, configuration, manual,
# completions. Units and the system user are not among it: distributions have tools for those.
#
#   install.sh ROOT PROGRAM        ROOT: the folder that stands for /; PROGRAM: what link.sh has made
#
# Run it from the top of the source tree.
set -eu
root=$1
program=$2

file() { install -D -m 644 "$1" "$root$2/${3:-$(basename "$1")}"; }

install -D -m 755 "$program" "$root/usr/libexec/geopublicistd"
mkdir -p "$root/usr/bin"
ln -sf ../libexec/geopublicistd "$root/usr/bin/geopublicist"
file packaging/geopublicist.conf /etc/geopublicist
file packaging/apparmor/usr.libexec.geopublicistd /etc/apparmor.d

for interface in dbus/org.geopublicist.*.xml; do file "$interface" /usr/share/dbus-1/interfaces; done
file dbus/org.geopublicist.Location1.conf /usr/share/dbus-1/system.d
file dbus/system-services/org.geopublicist.Location1.service /usr/share/dbus-1/system-services
file dbus/services/org.geopublicist.Location1.service /usr/share/dbus-1/services
file packaging/metainfo/org.geopublicist.Location1.metainfo.xml /usr/share/metainfo

file packaging/man/geopublicistd.8 /usr/share/man/man8
file packaging/man/geopublicist.conf.5 /usr/share/man/man5
file packaging/man/org.geopublicist.Location1.5 /usr/share/man/man5

file packaging/man/geopublicist.1 /usr/share/man/man1

file packaging/completions/geopublicist.bash /usr/share/bash-completion/completions geopublicist
file packaging/completions/_geopublicist /usr/share/zsh/vendor-completions
for policy in packaging/polkit/*.policy; do file "$policy" /usr/share/polkit-1/actions; done
for rules in packaging/polkit/*.rules; do file "$rules" /usr/share/doc/geopublicist/examples; done
