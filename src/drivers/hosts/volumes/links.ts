/**
 * A virtual machine finds its volumes under the paths that the API tells. QEMU names a disk by its serial number, which
 * Incus makes of the name of the device and of a word of its own, and lets nobody choose. So a rule of the guest's own udev
 * gives each volume its second name. Run in Debian 12 with a QEMU alone; with Incus it needs KVM.
 */

/** The name that udev has for the disk of a device `vol-ID`: Incus doubles each hyphen. */
const serials = '0QEMU_QEMU_HARDDISK_incus_vol--*'
/** Answers the id at the end of a serial number; udev reads two dollars as one. */
const idOf = `/bin/sh -c 'echo $\${0##*-}' $env{ID_SERIAL}`

const rule = (kind: string, ending: string) =>
  [
    'SUBSYSTEM=="block"',
    `ENV{DEVTYPE}=="${kind}"`,
    `ENV{ID_SERIAL}=="${serials}"`,
    `PROGRAM=="${idOf}"`,
    `SYMLINK+="disk/by-id/scsi-0HC_Volume_%c${ending}"`,
  ].join(', ')

/** The rules of udev. Disks are known by their serial numbers from rules before these. */
const rules = [rule('disk', ''), rule('partition', '-part%n')].join('\n')

/**
 * The commands that cloud-init runs early in each boot, whatever else it is told: it writes the rules, and lets disks that
 * are there follow them.
 */
export const volumeLinks = `#cloud-boothook
#!/bin/sh
command -v udevadm >/dev/null || exit 0
mkdir -p /etc/udev/rules.d
cat >/etc/udev/rules.d/61-wolke-volumes.rules <<'RULES'
${rules}
RULES
udevadm control --reload
udevadm trigger --action=change --subsystem-match=block
`
