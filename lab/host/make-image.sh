#!/bin/sh
# Makes an image of servers of Debian or Ubuntu: metadata.tar.xz and root.squashfs.
#   make-image.sh FOLDER SUITE OPTION_OF_MMDEBSTRAP...
set -eu
folder=$1 suite=$2
shift 2
cd "$folder"
mmdebstrap --mode=root --variant=minbase "$suite" root "$@" \
  --include=systemd-sysv,udev,dbus,cloud-init,netplan.io,openssh-server,iproute2,iputils-ping
cat >root/etc/cloud/cloud.cfg.d/90-wolke.cfg <<'CLOUD'
datasource_list: [NoCloud, None]
disable_root: false
CLOUD
rm -f root/etc/ssh/ssh_host_*
: >root/etc/machine-id
: >root/etc/hostname

mkdir -p metadata/templates
cd metadata
printf '%s\n' 'instance-id: {{ instance.name }}' 'local-hostname: {{ instance.name }}' \
  '{{ config_get("user.meta-data", "") }}' >templates/meta-data.tpl
printf 'architecture: %s\ncreation_date: %s\nproperties: {description: %s}\ntemplates:\n' \
  "$(uname -m)" "$(date +%s)" "$suite" >metadata.yaml
for document in meta-data user-data vendor-data network-config; do
  case $document in network-config) default='version: 2\n' ;; *) default='#cloud-config\n{}\n' ;; esac
  printf '  /var/lib/cloud/seed/nocloud-net/%s: {template: %s.tpl, when: [create, copy, start], properties: {default: "%s"}}\n' \
    "$document" "$document" "$default" >>metadata.yaml
  [ -e "templates/$document.tpl" ] ||
    echo "{{ config_get('cloud-init.$document', properties.default) }}" >"templates/$document.tpl"
done
cd ..
tar -cJf metadata.tar.xz -C metadata .
mksquashfs root root.squashfs -comp lz4 -noappend -no-progress
rm -r root metadata
