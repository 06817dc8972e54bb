#!/bin/sh
# Does in a machine without systemd what these commands would do to the units of Wolke, and refuses all others.
set -eu
units=/usr/lib/systemd/system
all() { cat $units/$1 /etc/systemd/system/$1.d/*.conf 2>/dev/null || true; }
of() { all $1 | sed -n "s/^$2=//p" | tail -n 1; }
run() {
  unit=$1
  set -a
  WOLKE_CONFIG=/etc/wolke/wolke.yaml
  . /etc/default/wolke
  set +a
  cd "$(of $unit WorkingDirectory)"
  umask "$(of $unit UMask)"
  more=
  if [ -n "$(of $unit AmbientCapabilities)" ]; then more='--inh-caps=-all,+net_bind_service --ambient-caps=+net_bind_service'; fi
  exec setpriv --reuid="$(of $unit User)" --regid="$(of $unit Group)" --init-groups ${more:---inh-caps=-all} --no-new-privs $(of $unit ExecStart)
}
stop() {
  if [ -e /run/wolke.pid ]; then
    kill "$(cat /run/wolke.pid)"
    while kill -0 "$(cat /run/wolke.pid)" 2>/dev/null; do sleep 0.1; done
    rm -r /run/wolke.pid /run/wolke
  fi
}
start() {
  install -d -m "$(of wolke.service RuntimeDirectoryMode)" -o wolke -g wolke "/run/$(of wolke.service RuntimeDirectory)"
  (RUNTIME_DIRECTORY="/run/$(of wolke.service RuntimeDirectory)" run wolke.service) >/dev/null 2>>/run/wolke.log &
  echo $! >/run/wolke.pid
  until wolke health >/dev/null 2>&1; do
    if ! kill -0 "$(cat /run/wolke.pid)" 2>/dev/null; then cat /run/wolke.log >&2; exit 1; fi
    sleep 0.1
  done
}
case "$*" in
  daemon-reload) ;;
  'restart wolke') stop; start ;;
  'stop wolke') stop ;;
  'start wolke') start ;;
  'enable --now wolke-backup.timer') grep -q '^OnCalendar=' $units/wolke-backup.timer ;;
  'start wolke-backup') (run wolke-backup.service) ;;
  *) echo "there is no systemd to $*" >&2; exit 1 ;;
esac
