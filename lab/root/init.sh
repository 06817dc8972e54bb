#!/bin/bash
# The first process of a host: makes its mounts, says that it is ready, and reaps what ends without a parent.
#   init.sh NAME ROOT LAB IMAGE DATA
set -eu
name=$1 root=$2 lab=$3 image=$4 data=$5
hostname "$name"
cd "$root"
mount --bind . .
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
. "$lab/root/groups.sh"
if [ -e sys/fs/cgroup/cgroup.controllers ]; then
  # Controllers can be given to groups within only when no process is beside them. By this name LXC knows that containers
  # belong beside it, not within.
  mkdir -p sys/fs/cgroup/init.scope
  echo 0 >sys/fs/cgroup/init.scope/cgroup.procs
  sed 's/\([a-z]\+\)/+\1/g' sys/fs/cgroup/cgroup.controllers >sys/fs/cgroup/cgroup.subtree_control
fi
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mkdir -p run/lock var/lib/incus lab image .machine
mount --bind "$lab" lab
mount --bind "$image" image
mount --bind "$data" var/lib/incus
pivot_root . .machine
umount -l .machine
ip link set lo up
mount --make-rshared /
echo ready
exec </dev/null >/dev/null 2>&1
trap : TERM INT
while :; do
  sleep infinity &
  wait $! || true
done
