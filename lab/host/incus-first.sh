#!/bin/sh
# Makes the first member of the cluster, with the pool of all servers and what Incus needs to reach OVN.
#   incus-first.sh NAME ADDRESS CENTRAL KEY VALUE
# KEY and VALUE are the `size` of a file that is the pool, or the `source` of it, a partition.
set -eu
name=$1 address=$2 central=$3 key=$4 value=$5
systemctl start incus
incus admin init --preseed <<PRESEED
config:
  core.https_address: $address:8443
cluster:
  enabled: true
  server_name: $name
storage_pools:
  - name: local
    driver: btrfs
    config:
      $key: $value
PRESEED
incus config set cluster.offline_threshold=11
incus config set \
  network.ovn.ca_cert="$(cat /etc/ovn/ca.crt)" \
  network.ovn.client_cert="$(cat /etc/ovn/host.crt)" \
  network.ovn.client_key="$(cat /etc/ovn/host.key)" \
  network.ovn.northbound_connection="ssl:$central:6641"
