#!/bin/sh
# Makes the secrets of compose.yaml, each once: a file that is there is kept. Run it as root, so that they belong to who reads
# them: the processes of Wolke (65532), and PostgreSQL the password alone.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
cd secrets

make() {
  [ -e "$1" ] && return
  cat >".$1"
  chmod "$2" ".$1"
  chown "$3" ".$1"
  mv ".$1" "$1"
}

head -c 24 /dev/urandom | od -An -vtx1 | tr -d ' \n' | make password 400 999:999
printf 'postgres://wolke:%s@postgresql/wolke' "$(cat password)" | make database 400 65532:65532
head -c 32 /dev/urandom | base64 -w 0 | make key 400 65532:65532
head -c 48 /dev/urandom | base64 -w 0 | make token 400 65532:65532
