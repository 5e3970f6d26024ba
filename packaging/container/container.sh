# SPDX-License-Identifier: Apache-2.0
#
# Functions for one booted container. Source this file with `folder` (the container's root) and `name` set.

# Boots the container without a network and waits until it is up.
start_container() {
  options="--directory=$folder --machine=$name --private-network --boot"
  # Without systemd on this machine, there is no machined to register with.
  [ -d /run/systemd/system ] || options="$options --register=no --keep-unit"
  (
    enter_cgroup
    # shellcheck disable=SC2086
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 exec setsid systemd-nspawn $options > "$folder.log" 2>&1 < /dev/null
  ) &
  nspawn=$!
  for _ in $(seq 600); do
    leader=$(pgrep -P "$nspawn" | head -n 1)
    case $([ -z "$leader" ] || inside systemctl is-system-running 2> /dev/null || true) in
      running) return 0 ;;
      degraded) inside systemctl --failed; return 1 ;;
    esac
    kill -0 "$nspawn" 2> /dev/null || break
    sleep 0.2
  done
  cat "$folder.log" >&2
  echo "The container $name failed to boot" >&2
  return 1
}

# An unregistered container uses the cgroup in which it is started as its own. Two containers in the same cgroup would
# stop each other's services, so each gets its own: in the version 2 hierarchy and in systemd's version 1 hierarchy.
enter_cgroup() {
  [ ! -d /run/systemd/system ] || return 0
  for hierarchy in $(awk '$3 == "cgroup2" || $3 == "cgroup" && $4 ~ /name=systemd/ { print $2 }' /proc/self/mounts); do
    mkdir -p "$hierarchy/$name"
    sh -c 'echo $PPID' > "$hierarchy/$name/cgroup.procs"
  done
}

leave_cgroup() {
  [ ! -d /run/systemd/system ] || return 0
  for hierarchy in $(awk '$3 == "cgroup2" || $3 == "cgroup" && $4 ~ /name=systemd/ { print $2 }' /proc/self/mounts); do
    find "$hierarchy/$name" -depth -type d -exec rmdir {} + 2> /dev/null || true
  done
}

# Runs a command inside the container.
inside() { nsenter --target "$leader" --all -- "$@"; }

# Runs a command inside as a separate service, in a cgroup that the container knows.
serve_inside() {
  inside systemd-run --quiet --collect --wait --pipe --setenv=PYTHONDONTWRITEBYTECODE=1 --working-directory=/srv/tests "$@"
}

stop_container() {
  [ -n "${nspawn:-}" ] || return 0
  if [ -n "${leader:-}" ]; then inside systemctl poweroff > /dev/null 2>&1 || true; fi
  for _ in $(seq 100); do
    kill -0 "$nspawn" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "$nspawn" 2> /dev/null || true
  wait "$nspawn" 2> /dev/null || true
  leave_cgroup
  nspawn=
}
