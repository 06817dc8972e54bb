#!/bin/sh
# Installs what makes a host with Debian 12 or 13 a member. Debian 12 itself has no Incus: it needs the suite
# bookworm-backports among apt's sources.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends \
  openvswitch-switch ovn-host ovn-central \
  btrfs-progs squashfs-tools xz-utils dnsmasq-base nftables iproute2 iputils-ping ethtool lxcfs uidmap acl attr rsync
. /etc/os-release
case $VERSION_CODENAME in bookworm) suite=bookworm-backports ;; *) suite=$VERSION_CODENAME ;; esac
apt-get install -q -y --no-install-recommends -t "$suite" incus-base incus-client
