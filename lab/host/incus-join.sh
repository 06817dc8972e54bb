#!/bin/sh
# Makes a host a further member of the cluster.
#   incus-join.sh ADDRESS TOKEN KEY VALUE
# TOKEN is what `incus cluster add NAME --quiet` prints on a member.
set -eu
address=$1 token=$2 key=$3 value=$4
systemctl start incus
incus admin init --preseed <<PRESEED
cluster:
  enabled: true
  server_address: $address:8443
  cluster_token: $token
  member_config:
    - entity: storage-pool
      name: local
      key: $key
      value: $value
    - entity: network
      name: UPLINK
      key: parent
      value: br-pub
PRESEED
