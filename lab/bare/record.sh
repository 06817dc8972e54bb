#!/bin/sh
# Asks apt for all that setting up a host may want, so that the archive keeps it.
#   record.sh PROXY MIRROR
# MIRROR is the one of the release.
set -eu
proxy=$1 mirror=$2
export DEBIAN_FRONTEND=noninteractive
ask() { apt-get -o Acquire::http::Proxy="$proxy" -q -y "$@"; }
fetch() { ask install --download-only "$@"; apt-get clean; }
. /etc/os-release
suite=$VERSION_CODENAME
ask update
fetch $(cat /root/packages)
# Debian 12 itself has no Incus.
if [ "$suite" = bookworm ]; then
  suite=bookworm-backports
  echo "deb $mirror $suite main" >/etc/apt/sources.list.d/backports.list
  ask update
fi
fetch -t "$suite" incus-base incus-client
