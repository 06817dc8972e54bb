#!/bin/sh
# Lets Wolke in, by its client certificate.
#   access.sh CERTIFICATE
set -eu
incus config trust add-certificate "$1" --name wolke
