/**
 * Two things run inside of a balancer's container beside HAProxy: a program for the shell that swaps its files, lays its
 * addresses and reads what HAProxy knows, and the unit that keeps HAProxy running without this process.
 */

/** The folder of a balancer in its container. HAProxy runs there, as its paths are relative. */
export const home = '/var/lib/wolke-balancer'
export const unitName = 'wolke-balancer.service'
export const unitPath = `/etc/systemd/system/${unitName}`
export const programPath = `${home}/balancer`

/** The program ends so when it was handed an older state than the one that it has. */
export const staleCode = 3
/** The program ends so when HAProxy does not take what it was handed; it prints the faults. */
export const refusedCode = 4

/** Files whose content is this name's in a folder that is handed over, beside HAProxy's own. */
export const addressesName = 'addresses'
export const freshName = 'fresh'

export const unit = `[Unit]
Description=Load balancer
ConditionPathExists=${home}/haproxy.cfg
StartLimitIntervalSec=0

[Service]
Type=notify
WorkingDirectory=${home}
ExecStartPre=/bin/sh ${programPath} prepare
ExecStart=haproxy -Ws -S unix@master.sock,mode,600 -f haproxy.cfg
KillMode=mixed
Restart=always
RestartSec=500ms
StandardOutput=append:${home}/log
StandardError=append:${home}/log

[Install]
WantedBy=multi-user.target
`

/**
 * Its commands: \`prepare\` before HAProxy starts, \`use FOLDER GENERATION\` to take over what was put into a folder, and
 * \`report\` to print what HAProxy knows.
 *
 * A lock keeps one change from another. The state of targets is used again until the time of its file; an older one would bring
 * back what is no longer true. The old worker is held until it has said what it counted. A change that was cut off leaves the
 * file \`unfinished\`, so that the same one is done again.
 */
export const program = `#!/bin/sh
set -eu
cd ${home}
umask 077

ask() { echo "$1" | socat -t 10 - UNIX-CONNECT:master.sock; }
length() { stat -c %s "$1" 2>/dev/null || echo 0; }
content() { cat "$1" 2>/dev/null || echo "$2"; }

# ---- Addresses ----

lay_addresses() {
  for link in lo eth0 eth1; do
    [ -e /proc/sys/net/ipv6/conf/$link ] || continue
    echo 0 > /proc/sys/net/ipv6/conf/$link/accept_ra
    ip link set $link up
  done
  while read -r side address gateway; do
    case $side$address in
      public*:*)
        ip address replace "$address/128" dev eth0 nodad
        ip -6 route replace default via fe80::1 dev eth0 src "$address" ;;
      public*)
        ip address replace "$address/32" dev eth0
        ip route replace default via 172.31.1.1 dev eth0 onlink src "$address" ;;
      private*)
        ip address replace "$address/32" dev eth1
        ip route replace default via "$gateway" dev eth1 onlink src "$address" table 100
        ip rule show table 100 | grep -q "from $address " || ip rule add from "$address" table 100 ;;
    esac
  done < ${addressesName}
}

has_address() { awk -v address="$1" '$2 == address {found = 1} END {exit !found}' ${addressesName}; }

tidy_addresses() {
  ip -o address show scope global | while read -r _ link _ address _; do
    has_address "\${address%/*}" || ip address delete "$address" dev "$link"
  done
  ip rule show table 100 | while read -r _ _ address _; do
    has_address "$address" || ip rule delete from "$address" table 100
  done
  grep -q '^public [0-9.]*$' ${addressesName} || ip route flush default
  grep -q '^public .*:' ${addressesName} || ip -6 route flush default
}

# ---- HAProxy ----

worker() { ask 'show proc' | awk '/^# old workers/ {exit} $2 == "worker" {print $1}'; }
master() { ask 'show proc' | awk '$2 == "master" {print $1}'; }
failures() { ask 'show proc' | sed -n 's/.*master.*\\[failed: \\([0-9]*\\)\\].*/\\1/p'; }
old_workers() { ask 'show proc' | awk '/^# old workers/ {old = 1} old && $2 == "worker" {print $1}'; }
is_running() { [ -S master.sock ] && [ -n "$(worker 2>/dev/null)" ]; }

# A new worker takes over the state of all targets that were checked. Statuses 0 and 1 are those of targets that were not.
keep_state() {
  ask '@1 show servers state' | awk '
    NR == 2 {for (i = 2; i <= NF; i++) if ($i == "srv_check_status") column = i - 1}
    NR <= 2 || $column > 1' > state.new
  touch -d "@$(($(date +%s) + $(content ${freshName} 3)))" state.new
  mv state.new state
}

report_worker() {
  echo "--- $1 $2"
  ask "@!$2 show stat -1 5 -1"
}

report() {
  if [ -e unfinished ]; then echo 0; else content generation 0; fi
  is_running || exit 0
  report_worker worker "$(worker)"
  for pid in $(old_workers); do report_worker old "$pid"; done
  echo '--- end'
  [ "$(length log)" -lt 1000000 ] || : > log
}

faults_since() { tail -c "+$(($1 + 1))" log | sed -n 's/^\\[ALERT\\] *([0-9]*) : *//p'; }

wait_for_systemd() {
  until=$(($(date +%s) + 60))
  until systemctl show --property=Version > /dev/null 2>&1; do
    [ "$(date +%s)" -lt $until ] || return 1
    sleep 0.05
  done
}

start() {
  wait_for_systemd
  systemctl daemon-reload
  systemctl restart ${unitName} && return
  systemctl stop ${unitName}
  return 1
}

reload() {
  before=$(worker)
  failed=$(failures)
  keep_state
  kill -USR2 "$(master)"
  until=$(($(date +%s) + 20))
  while [ "$(date +%s)" -lt $until ]; do
    # The master answers nothing while it starts.
    now=$(worker 2> /dev/null)
    [ -z "$now" ] || [ "$now" = "$before" ] || return 0
    now=$(failures 2> /dev/null)
    [ -z "$now" ] || [ "$now" = "$failed" ] || return 1
    sleep 0.05
  done
  return 1
}

# ---- Changes ----

parts='haproxy.cfg tls ${addressesName} ${freshName}'

swap() {
  for part in $parts; do
    rm -rf "$2/$part"
    [ ! -e $part ] || mv $part "$2/"
    [ ! -e "$1/$part" ] || mv "$1/$part" $part
  done
}

is_same() {
  [ ! -e unfinished ] || return 1
  for part in $parts; do diff -rq "$1/$part" $part > /dev/null 2>&1 || return 1; done
}

hold_worker() {
  rm -f hold
  mkfifo hold
  socat - UNIX-CONNECT:worker.sock < hold > /dev/null 2>&1 9>&- &
  exec 8> hold
}

use() {
  exec 9> lock
  flock 9
  if [ "$2" -lt "$(content generation 0)" ]; then rm -rf "$1"; exit ${staleCode}; fi
  [ -e empty ] || mkdir empty
  # What another change left that was cut off.
  find . -maxdepth 1 -name 'next-*' -mmin +10 -exec rm -rf {} +
  if is_same "$1" && is_running; then
    lay_addresses
  else
    change "$1"
  fi
  tidy_addresses
  echo "$2" > generation.new
  mv generation.new generation
  rm -rf "$1" former unfinished
  report
}

change() {
  touch unfinished log
  rm -rf former
  mkdir former
  swap "$1" former
  since=$(length log)
  lay_addresses
  if is_running; then
    hold_worker
    reload || refuse "$1" "$since"
  else
    start || refuse "$1" "$since"
  fi
}

refuse() {
  faults_since "$2"
  swap former "$1"
  rm -rf "$1" former
  exit ${refusedCode}
}

case $1 in
  prepare)
    touch now
    [ state -nt now ] || rm -f state
    lay_addresses ;;
  use) use "$2" "$3" ;;
  report)
    exec 9> lock
    flock 9
    report
    if is_running; then keep_state; fi ;;
esac
`
