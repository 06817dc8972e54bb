#!/bin/sh
# Makes the key and the certificate of a host, or of Wolke, for TLS between all of them, signed by an authority that is made
# with the first.
#   certificates.sh FOLDER NAME [ADDRESS]
set -eu
folder=$1 name=$2 address=${3:-127.0.0.1}
cd "$folder"
umask 077
if [ ! -e ca.key ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out ca.key
  openssl req -x509 -new -key ca.key -days 3650 -subj /CN=wolke-hosts -out ca.crt
fi
openssl ecparam -name prime256v1 -genkey -noout -out "$name.key"
printf 'subjectAltName=DNS:%s,IP:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" "$address" >"$name.ext"
openssl req -new -key "$name.key" -subj "/CN=$name" |
  openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$name.ext" -out "$name.crt"
rm "$name.ext"
