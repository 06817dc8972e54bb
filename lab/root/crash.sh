#!/bin/sh
# Takes the power of a host away: all of its processes but the first end at once, and what only memory holds is gone. Disks
# keep what was written to them.
set -eu
kill -s KILL -- -1

# What was killed takes a moment to end.
patiently() { until "$@" 2>/dev/null; do sleep 0.05; done; }

for mount in $(findmnt --list --noheadings --output TARGET | grep -x -e '/var/lib/incus/.*' -e /var/lib/lxcfs | sort -r); do
  patiently umount "$mount"
done
for folder in run tmp; do
  umount --lazy "/$folder"
  mount -t tmpfs tmpfs "/$folder"
done
mkdir -p /run/lock
patiently find /sys/fs/cgroup -depth -type d -path '*/lxc.*' -exec rmdir {} +
links() { ip -oneline link show type "$1" | cut -d ' ' -f 2 | sed 's/[@:].*//' | grep -vx 'eth[01]' || true; }
for link in $(links tun) $(links veth); do
  # One end goes with the other, and both with the server that has one.
  ip link delete "$link" 2>/dev/null || [ ! -e "/sys/class/net/$link" ]
done
