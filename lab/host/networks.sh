#!/bin/sh
# Makes the networks of an installation on the first member, once all members are there.
#   networks.sh GATEWAY4 RANGE4 GATEWAY6 POOL4 POOL6
# GATEWAY4 and GATEWAY6 are the router's addresses on the uplink with their prefixes, RANGE4 addresses there for the routers
# of OVN, POOL4 and POOL6 the networks that Wolke gives public addresses from.
set -eu
gateway4=$1 range4=$2 gateway6=$3 pool4=$4 pool6=$5
for member in $(incus cluster list --format csv | cut -d, -f1); do
  incus network create UPLINK --type=physical --target="$member" parent=br-pub
done
incus network create UPLINK --type=physical \
  ipv4.gateway="$gateway4" ipv4.ovn.ranges="$range4" ipv6.gateway="$gateway6" \
  ipv4.routes="172.31.0.0/16,$pool4" ipv6.routes="fd00:172:31::/64,$pool6" \
  ovn.ingress_mode=routed
incus network create pub --type=ovn network=UPLINK \
  ipv4.address=172.31.1.1/16 ipv4.nat=false \
  ipv6.address=fd00:172:31::1/64 ipv6.nat=false ipv6.dhcp.stateful=true
