#!/bin/bash
# The first process of a bare host: makes the mounts that a machine has before systemd begins, says that it is ready, and
# becomes systemd.
#   init.sh NAME ROOT DISK IMAGE INTERFACE...
# DISK is the loop device that is the host's second disk, /dev/sdb; IMAGE the folder with an image of servers, /srv/image.
set -eu
name=$1 root=$2 disk=$3 image=$4
shift 4
hostname "$name"
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mkdir -p srv/image
mount --bind -o ro "$image" srv/image
mount -t tmpfs -o mode=755 tmpfs dev

. "${0%/*}/../root/groups.sh"

# The disks of the machine itself are out of reach.
number() { printf '%d' "0x$(stat -c "$1" "$2")"; }
node() { mknod -m "$2" "dev/$1" "$3" "$(number %t "${4:-/dev/$1}")" "$(number %T "${4:-/dev/$1}")"; }
for device in null zero full random urandom tty; do node "$device" 666 c; done
for device in btrfs-control fuse loop-control; do node "$device" 600 c; done
for number in {0..63}; do mknod -m 600 "dev/loop$number" b 7 "$number"; done
mkdir dev/net dev/pts dev/shm dev/mqueue
node net/tun 666 c
node sdb 660 b "$disk"
ln -s /proc/self/fd dev/fd
for number in 0 1 2; do ln -s "/proc/self/fd/$number" "dev/std$(echo in out err | cut -d ' ' -f $((number + 1)))"; done
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs dev/shm
ln -s /run/systemd/journal/dev-log dev/log

# A container may mount these only where another mount has all of them, as within hosts that are containers of Incus.
mkdir -p dev/.lxc/proc dev/.lxc/sys
mount -t proc proc dev/.lxc/proc
mount -t sysfs sysfs dev/.lxc/sys

# So they are for who looks for a free one.
loop=${disk##*/}
for folder in sys/block sys/class/block sys/dev/block; do [ -L $folder ] || mount -t tmpfs tmpfs $folder; done
mkdir sys/block/sdb
mount --bind "/sys/devices/virtual/block/$loop" sys/block/sdb
ln -s ../../block/sdb sys/class/block/sdb
ln -s ../../block/sdb "sys/dev/block/$(cat "/sys/block/$loop/dev")"

# The other parameters of the kernel are those of the machine.
mount --bind proc/sys proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,ro proc/sys
mkdir -p .machine
pivot_root . .machine
umount -l .machine
rmdir .machine
mount --make-rshared /
echo ready
for interface; do until [ -e "/sys/class/net/$interface" ]; do sleep 0.02; done; done
exec </dev/null >/dev/null 2>&1
settings=systemd.log_target=journal
# Newer releases of systemd take control groups of version 1 only when they are told to.
[ -e /sys/fs/cgroup/cgroup.controllers ] ||
  settings="$settings systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"
exec env -i container=wolke-lab PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd $settings
