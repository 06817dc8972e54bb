#!/bin/sh
# Keeps OVN from the translation of addresses to themselves, by which it resolves collisions of connections: the user-space
# datapath of Open vSwitch 3.1 says that it can do that, and ends with a failed assertion when it does.
set -eu
until datapath=$(ovs-vsctl --bare --columns=_uuid list Datapath) && [ -n "$datapath" ] &&
  ovs-vsctl get Datapath "$datapath" capabilities:ct_zero_snat >/dev/null 2>&1; do
  sleep 0.05
done
ovs-vsctl set Datapath "$datapath" capabilities:ct_zero_snat=false
