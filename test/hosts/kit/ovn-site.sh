# Databases of OVN in a folder of their own, and in them what Incus 6.0.4 makes of a public network, number 3, and of private
# networks of the numbers 4 and 5. The northbound database has a member for each port; several ones are a cluster.
#   ovn-site.sh FOLDER ADDRESS PORT...
folder=$1 address=$2
shift 2
mkdir -p "$folder"
cd "$folder"

# database NAME [REMOTE]
database() {
  ovsdb-server "$1.db" --remote="punix:$folder/$1.sock" ${2:+"--remote=$2"} --unixctl="$folder/$1.ctl" \
    --pidfile="$folder/$1.pid" --detach --log-file="$folder/$1.log" -vconsole:off
}

ovsdb-tool create sb.db /usr/share/ovn/ovn-sb.ovsschema
database sb
northbound='' member=0
for port; do
  member=$((member + 1))
  if [ $# = 1 ]; then ovsdb-tool create nb1.db /usr/share/ovn/ovn-nb.ovsschema
  elif [ $member = 1 ]; then ovsdb-tool create-cluster nb1.db /usr/share/ovn/ovn-nb.ovsschema "unix:$folder/nb1.raft"
  else ovsdb-tool join-cluster nb$member.db OVN_Northbound "unix:$folder/nb$member.raft" "unix:$folder/nb1.raft"; fi
  database nb$member "ptcp:$port:$address"
  ovsdb-client --timeout=20 wait "unix:$folder/nb$member.sock" OVN_Northbound connected
  northbound=$northbound${northbound:+,}unix:$folder/nb$member.sock
done
ovn-northd --ovnnb-db="$northbound" --ovnsb-db="unix:$folder/sb.sock" --unixctl="$folder/northd.ctl" \
  --pidfile="$folder/northd.pid" --detach --log-file="$folder/northd.log" -vconsole:off

nb() { ovn-nbctl --db="$northbound" --timeout=20 "$@"; }

# network NUMBER ROUTER-MAC SOURCES4 SOURCES6 ADDRESS...
network() {
  local name=incus-net$1 set=incus_net$1_routes mac=$2 ipv4=$3 ipv6=$4
  shift 4
  nb lr-add "$name-lr" -- ls-add "$name-ls-int" \
    -- lrp-add "$name-lr" "$name-lr-lrp-int" "$mac" "$@" \
    -- lsp-add "$name-ls-int" "$name-ls-int-lsp-router" -- lsp-set-type "$name-ls-int-lsp-router" router \
    -- lsp-set-addresses "$name-ls-int-lsp-router" router \
    -- lsp-set-options "$name-ls-int-lsp-router" router-port="$name-lr-lrp-int" \
    -- create Address_Set "name=${set}_ip4" $ipv4 -- create Address_Set "name=${set}_ip6" $ipv6 \
    -- lr-policy-add "$name-lr" 600 "inport == \"$name-lr-lrp-int\" && ip4 && ip4.src == \$${set}_ip4" allow \
    -- lr-policy-add "$name-lr" 600 "inport == \"$name-lr-lrp-int\" && ip6 && ip6.src == \$${set}_ip6" allow \
    -- lr-policy-add "$name-lr" 500 "inport == \"$name-lr-lrp-int\"" drop
}

network 3 10:66:6a:00:00:01 addresses=172.31.0.0/16 'addresses="fd00:172:31::/64"' 172.31.1.1/16 fd00:172:31::1/64
network 4 10:66:6a:00:04:01 addresses=10.0.0.0/16 '' 10.0.0.1/16
network 5 10:66:6a:00:05:01 addresses=10.0.0.0/16 '' 10.0.0.1/16

# The uplink of the public network, with the router of the operator on it.
nb ls-add incus-net3-ls-ext -- lrp-add incus-net3-lr incus-net3-lr-lrp-ext 10:66:6a:00:00:02 198.51.100.100/24 2001:db8:ff::100/64 \
  -- lsp-add incus-net3-ls-ext uplink -- lsp-set-type uplink router -- lsp-set-addresses uplink router \
  -- lsp-set-options uplink router-port=incus-net3-lr-lrp-ext \
  -- lsp-add incus-net3-ls-ext outside -- lsp-set-addresses outside '10:66:6a:00:00:99 198.51.100.1 2001:db8:ff::1' \
  -- lr-route-add incus-net3-lr 0.0.0.0/0 198.51.100.1 incus-net3-lr-lrp-ext \
  -- lr-route-add incus-net3-lr ::/0 2001:db8:ff::1 incus-net3-lr-lrp-ext
