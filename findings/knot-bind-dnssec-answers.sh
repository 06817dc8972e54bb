#!/usr/bin/env bash
# BIND 9.18 and Knot 3.2 (of Debian 12) serve one and the same signed zone and answer four questions about it differently:
#
#   question                                     BIND                        Knot
#   a name that a DNAME record makes too long    YXDOMAIN (RFC 6672, 2.2)    NXDOMAIN, with NSEC records as if it did not exist
#   RRSIG of a name with two signed types        all RRSIG records           the RRSIG records of one type
#   NSEC of a delegated name                     the record, authoritative   a referral
#   HTTPS 1 . at a name with an address          the address as well         the HTTPS record alone
#
# Whoever compares servers by their answers, or asks for RRSIG to see whether a name is signed, is misled by that. Knot's zone
# is the one that dnssec-signzone has signed, so that nothing depends on how the two sign.
#
# Needs the packages bind9, bind9-dnsutils, bind9-utils and knot. Fails when any answer is another one.
set -euo pipefail

folder=$(mktemp -d)
servers=()
cleanup() {
  for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"

label=$(printf 'l%.0s' {1..60})
cat >zone <<ZONE
\$TTL 300
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns.test.
two A 192.0.2.1
two AAAA 2001:db8::1
d DNAME $label.$label.$label
sub NS ns.test.
own A 192.0.2.2
own HTTPS 1 . alpn=h2
ZONE
for flags in '-f KSK' ''; do dnssec-keygen -q -a ECDSAP256SHA256 $flags example.com; done >/dev/null
cat Kexample.com.*.key >>zone
dnssec-signzone -q -o example.com -f signed zone >/dev/null

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
bind=$(free_port)
cat >named.conf <<CONF
options {
  directory "$folder"; pid-file none; session-keyfile none; lock-file none; recursion no; dnssec-validation no;
  listen-on port $bind { 127.0.0.1; }; listen-on-v6 { none; };
};
controls { };
zone "example.com" { type primary; file "signed"; };
CONF
"$(PATH=$PATH:/usr/sbin command -v named)" -g -c named.conf >named.log 2>&1 &
servers+=($!)

knot=$(free_port)
mkdir db
cat >knot.conf <<CONF
server:
  listen: 127.0.0.1@$knot
  rundir: $folder
database:
  storage: $folder/db
zone:
  - domain: example.com
    file: $folder/signed
    zonefile-sync: -1
CONF
"$(PATH=$PATH:/usr/sbin command -v knotd)" -c knot.conf >knot.log 2>&1 &
servers+=($!)

ask() { dig +time=2 +tries=1 +norecurse +dnssec "@127.0.0.1" -p "$@"; }
for port in "$bind" "$knot"; do until ask "$port" example.com SOA 2>/dev/null | grep -q 'status: NOERROR'; do sleep 0.2; done; done

changed=0
# expect WHAT PATTERN OF BIND, PATTERN OF KNOT, QUESTION: the patterns are of grep -P, over the whole answer.
expect() {
  local what=$1 of_bind=$2 of_knot=$3
  shift 3
  echo "$what:"
  for one in "BIND $bind $of_bind" "Knot $knot $of_knot"; do
    read -r server port pattern <<<"$one"
    answer=$(ask "$port" "$@")
    printf '  %s  %s' "$server" "$(sed -nE 's/.*status: ([A-Z]+).*/\1/p' <<<"$answer")"
    sed -nE 's/^;; flags: ([a-z ]+);.*(ANSWER: [0-9]+, AUTHORITY: [0-9]+, ADDITIONAL: [0-9]+)/, \1, \2/p' <<<"$answer"
    if ! tr '\n' ' ' <<<"$answer" | grep -qP "$pattern"; then
      echo "  ^ was: $pattern"
      changed=1
    fi
  done
}
expect 'a name that a DNAME record makes too long' 'status:.YXDOMAIN' 'status:.NXDOMAIN.*AUTHORITY.SECTION.*NSEC' "$label.d.example.com" A
expect 'RRSIG of a name with two signed types' 'ANSWER:.3,' 'ANSWER:.1,' two.example.com RRSIG
expect 'NSEC of a delegated name' 'flags:.qr.aa.*ANSWER:.2,' 'flags:.qr;.*ANSWER:.0,' sub.example.com NSEC
expect 'a service at its own name' 'ADDITIONAL.SECTION:.*192\.0\.2\.2' '^(?!.*ADDITIONAL.SECTION:)' own.example.com HTTPS
exit "$changed"
