#!/bin/sh
# Makes a tree of Debian what an installer leaves, but for what a lab has no place for.
#   customize.sh TREE
set -eu
cd "$1"
# There are no modules of the kernel, terminals or events of devices, and the machine's own file systems are not the host's.
for unit in systemd-udevd.service systemd-udevd-kernel.socket systemd-udevd-control.socket systemd-udev-trigger.service \
  getty@.service console-getty.service systemd-modules-load.service systemd-remount-fs.service kmod-static-nodes.service \
  systemd-tmpfiles-setup-dev.service systemd-tmpfiles-setup-dev-early.service dev-hugepages.mount dev-mqueue.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount sys-fs-fuse-connections.mount \
  proc-sys-fs-binfmt_misc.automount systemd-binfmt.service systemd-journald-audit.socket systemd-pstore.service \
  apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer e2scrub_reap.service; do
  ln -sf /dev/null "etc/systemd/system/$unit"
done
# Each machine gets its own from systemd.
: >etc/machine-id
: >etc/resolv.conf
