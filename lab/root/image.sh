#!/bin/sh
# Imports a system image under its aliases, `wolke-` with the id that the catalogue gives it.
#   image.sh METADATA ROOT_FILESYSTEM ALIAS...
set -eu
metadata=$1 root=$2
shift 2
fingerprint=$(incus image import "$metadata" "$root" --alias "$1" | sed -n 's/.*fingerprint: //p')
shift
for alias; do incus image alias create "$alias" "$fingerprint"; done
