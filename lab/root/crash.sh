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
for bridge in $(ip -oneline link show type tun | cut -d ' ' -f 2 | tr -d :); do ip link delete "$bridge"; done
# Links to servers go with their namespaces.
no_links() { ! ip -oneline link show type veth | grep -v ': eth[01]@'; }
patiently no_links
