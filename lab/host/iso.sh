#!/bin/sh
# Imports an ISO for virtual machines on every member, `wolke-iso-` with the id that the catalogue gives it, or `wolke-rescue`.
#   iso.sh FILE NAME
set -eu
file=$1 name=$2
for member in $(incus cluster list --format csv | cut -d, -f1); do
  incus storage volume import local "$file" "$name" --type=iso --target="$member"
done
