#!/bin/sh
# What the hosts of the lab need before the steps of lab/host: a datapath in user space, whose tunnels end on a bridge of
# Open vSwitch, and links that fill in checksums themselves.
#   underlay.sh ADDRESS
set -eu
for link in eth0 eth1; do
  ethtool -K "$link" tx off >/dev/null
  ip link set "$link" up
done
systemctl start openvswitch-switch
ovs-vsctl set open_vswitch . external_ids:ovn-bridge-datapath-type=netdev \
  -- --may-exist add-br br-pub -- set bridge br-pub datapath_type=netdev \
  -- --may-exist add-br br-phy -- set bridge br-phy datapath_type=netdev -- --may-exist add-port br-phy eth0 \
  -- set interface br-phy mtu_request=1600
ethtool -K br-phy tx off >/dev/null
ethtool -K br-pub tx off >/dev/null
ip address replace "$1/24" dev br-phy
ip link set br-phy up
