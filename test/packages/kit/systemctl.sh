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
  pass=
  if [ -e /run/sockets ]; then pass='python3 /usr/local/lib/sockets.py pass'; fi
  exec $pass setpriv --reuid="$(of $unit User)" --regid="$(of $unit Group)" --init-groups ${more:---inh-caps=-all} --no-new-privs $(of $unit ExecStart)
}
stop() {
  if [ -e /run/wolke.pid ]; then
    kill "$(cat /run/wolke.pid)"
    while kill -0 "$(cat /run/wolke.pid)" 2>/dev/null; do sleep 0.1; done
    rm -r /run/wolke.pid /run/wolke
  fi
}
start() {
  folder="/run/$(of wolke.service RuntimeDirectory)"
  install -d -m "$(of wolke.service RuntimeDirectoryMode)" -o wolke -g wolke "$folder"
  (RUNTIME_DIRECTORY="$folder" WOLKE_READY_FILE="$folder/ready" run wolke.service) >/dev/null 2>>/run/wolke.log &
  echo $! >/run/wolke.pid
  until [ -e "$folder/ready" ]; do
    if ! kill -0 "$(cat /run/wolke.pid)" 2>/dev/null; then cat /run/wolke.log >&2; exit 1; fi
    sleep 0.1
  done
}
# Keeps the sockets of a unit open, for the service when it starts.
hold() {
  if [ -e /run/wolke.pid ]; then echo "wolke.service is already active, refusing" >&2; exit 1; fi
  python3 /usr/local/lib/sockets.py hold "$1" >/dev/null 2>>/run/sockets.log &
  until [ -e "/run/sockets/$1" ]; do
    if ! kill -0 $! 2>/dev/null; then cat /run/sockets.log >&2; exit 1; fi
    sleep 0.1
  done
}
case "$*" in
  daemon-reload) ;;
  'restart wolke' | 'restart wolke.service') stop; start ;;
  'stop wolke' | 'stop wolke.service') stop ;;
  'start wolke' | 'start wolke.service') start ;;
  'enable --now wolke-backup.timer') grep -q '^OnCalendar=' $units/wolke-backup.timer ;;
  'enable --now wolke.socket') hold wolke.socket ;;
  'enable --now wolke-dns.socket') hold wolke-dns.socket ;;
  'start wolke-backup') (run wolke-backup.service) ;;
  *) echo "there is no systemd to $*" >&2; exit 1 ;;
esac
