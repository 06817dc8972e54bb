#!/bin/sh
# Prepares a fresh Debian as the image of servers in the lab.
#   customize.sh ROOT
set -eu
root=$1 here=$(dirname "$0")
install -m 755 "$here/checksums.sh" "$root/usr/local/sbin/checksums"
install -m 644 "$here/checksums.service" "$root/etc/systemd/system/checksums.service"
install -m 644 "$here/cloud.cfg" "$root/etc/cloud/cloud.cfg.d/99_lab.cfg"
systemctl --root="$root" enable -q checksums.service
systemctl --root="$root" disable -q haproxy.service
# They would work on every server at times that no test knows.
systemctl --root="$root" mask -q apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
  e2scrub_reap.service systemd-pstore.service getty@tty1.service
rm -rf "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/* "$root"/var/lib/apt/lists/*
printf "127.0.0.1 localhost\n::1 localhost\n" >"$root/etc/hosts"
