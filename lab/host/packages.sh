#!/bin/sh
# Installs what makes a Debian host a member. Needs the machine's own mirror with the suite bookworm-backports among apt's
# sources, because Debian 12 itself has no Incus.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends \
  openvswitch-switch ovn-host ovn-central \
  btrfs-progs squashfs-tools xz-utils dnsmasq-base nftables iproute2 iputils-ping ethtool lxcfs uidmap acl attr rsync
apt-get install -q -y --no-install-recommends -t bookworm-backports incus-base incus-client
