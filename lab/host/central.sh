#!/bin/sh
# Runs the databases of OVN on the first host, reachable by TLS only: the northbound one for Wolke and Incus, the
# southbound one for the hosts. Expects ca.crt, host.crt and host.key in /etc/ovn.
set -eu
systemctl start ovn-central
for database in nb sb; do
  ovn-${database}ctl --timeout=30 set-ssl /etc/ovn/host.key /etc/ovn/host.crt /etc/ovn/ca.crt
done
ovn-nbctl --timeout=30 set-connection pssl:6641
ovn-sbctl --timeout=30 set-connection pssl:6642
