#!/bin/sh
# Asks apt for all that setting up a host may want, so that the archive keeps it.
#   record.sh PROXY MIRROR
# MIRROR is the one of the release.
set -eu
export DEBIAN_FRONTEND=noninteractive http_proxy=$1
mirror=$2
fetch() { apt-get install -q -y --download-only "$@"; apt-get clean; }
. /etc/os-release
suite=$VERSION_CODENAME
apt-get update -q
fetch $(cat /root/packages)
# Debian 12 itself has no Incus.
if [ "$suite" = bookworm ]; then
  suite=bookworm-backports
  echo "deb $mirror $suite main" >/etc/apt/sources.list.d/backports.list
  apt-get update -q
fi
fetch -t "$suite" incus-base incus-client

# Images of servers are made where nothing is installed yet.
fetch -o Dir::State::status=/dev/null --no-install-recommends \
  '?essential' '?priority(required)' apt $(cat /root/guests)
