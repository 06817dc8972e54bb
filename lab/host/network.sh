#!/bin/sh
# Makes a host a chassis of OVN. Expects ca.crt, host.crt and host.key in /etc/ovn.
#   network.sh NAME ADDRESS CENTRAL UPLINK
# ADDRESS is the host's own on the network of the hosts, CENTRAL that of the host with the databases, UPLINK the
# interface without an address through which the public addresses of servers are reached; empty where the host itself routes.
set -eu
name=$1 address=$2 central=$3 uplink=$4
echo "$name" >/etc/openvswitch/system-id.conf
systemctl start openvswitch-switch
ovs-vsctl set-ssl /etc/ovn/host.key /etc/ovn/host.crt /etc/ovn/ca.crt
ovs-vsctl set open_vswitch . \
  external_ids:system-id="$name" \
  external_ids:ovn-remote="ssl:$central:6642" \
  external_ids:ovn-encap-type=geneve \
  external_ids:ovn-encap-ip="$address"
ovs-vsctl --may-exist add-br br-pub
if [ -n "$uplink" ]; then
  ovs-vsctl --may-exist add-port br-pub "$uplink"
  ip link set "$uplink" up
fi
ip link set br-pub up
systemctl start ovn-host
