#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a private message bus at unix:path=DIR/bus until it is killed.
#
#   private-bus.sh system|session DIR [OWNER [REFUSED]]
#
# "system" has the policy of Debian's system bus: GeoClue's packaged policy and ours, in which OWNER (a user's name or
# number, by default this user) replaces the service's own user. "session" allows everything, except calls to the
# service REFUSED. BUS_BROKER in the environment chooses dbus-daemon (the default) or dbus-broker, BUS_LIMITS=stock the
# default limits of a system bus; otherwise they are higher, so that a test's only user may open thousands of
# connections. BUS_PASSWD is a file to be used as /etc/passwd: dbus-daemon admits only users who are listed there.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kind=$1 directory=$2 owner=${3:-$(id -u)} refused=${4:-}
configuration=$directory/bus.conf

# Without root, everything on this bus runs as one user, so that user receives the rights that GeoClue's policy grants
# to root and geoclue.
geoclue_as_this_user() {
  [ "$(id -u)" -eq 0 ] && return
  cat <<END
  <policy user="$(id -u)">
    <allow own="org.freedesktop.GeoClue2"/>
    <allow send_interface="org.freedesktop.GeoClue2.Agent" send_path="/org/freedesktop/GeoClue2/Agent"/>
    <allow send_interface="org.freedesktop.DBus.Properties" send_path="/org/freedesktop/GeoClue2/Agent"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
  </policy>
END
}

system_rules() {
  sed "s/user=\"geopublicist\"/user=\"$owner\"/" "$here/../../dbus/org.geopublicist.Location1.conf" \
    > "$directory/org.geopublicist.Location1.conf"
  cat <<END
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
    <allow send_destination="org.freedesktop.login1"/>
    <allow send_destination="org.freedesktop.timedate1"/>
  </policy>
  <policy user="root">
    <allow own="org.freedesktop.login1"/>
    <allow own="org.freedesktop.timedate1"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Debug.Stats"/>
  </policy>
$(geoclue_as_this_user)
  <include ignore_missing="yes">/etc/dbus-1/system.d/org.freedesktop.GeoClue2.conf</include>
  <include ignore_missing="yes">/etc/dbus-1/system.d/org.freedesktop.GeoClue2.Agent.conf</include>
  <include ignore_missing="yes">/usr/share/dbus-1/system.d/org.freedesktop.GeoClue2.conf</include>
  <include ignore_missing="yes">/usr/share/dbus-1/system.d/org.freedesktop.GeoClue2.Agent.conf</include>
  <include ignore_missing="yes">/usr/share/dbus-1/system.d/org.freedesktop.PolicyKit1.conf</include>
  <include>$directory/org.geopublicist.Location1.conf</include>
END
}

session_rules() {
  cat <<END
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    ${refused:+<deny send_destination=\"$refused\"/>}
  </policy>
END
}

# 4095, because dbus-broker multiplies it by the bytes that a connection may have and keeps the lower 32 bits, which are
# zero with 4096.
raised_limits() {
  cat <<END
  <limit name="max_incoming_bytes">133169152</limit>
  <limit name="max_outgoing_bytes">133169152</limit>
  <limit name="max_message_size">33554432</limit>
  <limit name="max_completed_connections">8192</limit>
  <limit name="max_connections_per_user">4095</limit>
  <limit name="max_match_rules_per_connection">4096</limit>
  <limit name="max_replies_per_connection">4096</limit>
END
}

cat > "$configuration" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>$kind</type>
  <listen>unix:path=$directory/bus</listen>
  <auth>EXTERNAL</auth>
$("${kind}_rules")
$([ "${BUS_LIMITS:-raised}" = stock ] || raised_limits)
</busconfig>
END

case ${BUS_BROKER:-dbus-daemon} in
  dbus-daemon)
    [ -z "${BUS_PASSWD:-}" ] || set -- "$here/with-mounts.sh" "$BUS_PASSWD=/etc/passwd" --
    [ -n "${BUS_PASSWD:-}" ] || set --
    exec "$@" dbus-daemon --config-file="$configuration" --nofork --nopidfile ;;
  dbus-broker)
    set -- /usr/bin/python3 "$here/dbus-broker.py" "$kind" "$directory"
    [ "$(id -u)" -eq 0 ] && exec unshare --mount "$@"
    exec unshare --map-current-user --keep-caps --mount "$@"
    ;;
  *) echo "BUS_BROKER=$BUS_BROKER: neither dbus-daemon nor dbus-broker" >&2; exit 2 ;;
esac
