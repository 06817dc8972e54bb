/** Servers in seed files. */
import { type Fields, protectedParts, protection, type Seed, type SeedView } from '../../kernel/resource/seed.ts'

/** The image, by its name where it is one of the catalogue. */
function imageOf({ image }: Fields, { has, remark }: SeedView): number | string | null {
  if (image?.type === 'system' || image?.type === 'app') return image.name
  if (image && has('image', image.id)) return image.id
  remark('image: left out, because the image is gone or is a backup')
  return null
}

function publicNetOf({ public_net: { ipv4, ipv6 } }: Fields, { has }: SeedView): Fields {
  const named = (address: Fields | null) => (address && has('primary_ip', address.id) ? address.id : null)
  return {
    enable_ipv4: ipv4 !== null,
    enable_ipv6: ipv6 !== null,
    ipv4: named(ipv4),
    ipv6: named(ipv6),
  }
}

export const seed: Seed = {
  without: ['datacenter', 'networks'],
  // It is started once it is in its networks: without a public address it could not be before.
  always: { start_after_create: false },
  usual: { start_after_create: true, public_net: { enable_ipv4: true, enable_ipv6: true } },
  parts: {
    networks: { by: 'attach_to_network', each: ['network'], undo: 'detach_from_network' },
    iso: { by: 'attach_iso', field: 'iso', body: (iso) => ({ iso }) },
    start_after_create: { by: 'poweron', when: (isStarted) => isStarted !== false },
    // The start would have gone there, and used it up.
    rescue: { by: 'enable_rescue', when: (rescue) => rescue === true },
    backups: { by: 'enable_backup', when: (backups) => backups === true },
    protection,
  },
  entry: (server, view) => {
    const { server_type, location, datacenter, private_net, placement_group, labels } = server
    return {
      server_type: server_type.name,
      image: imageOf(server, view),
      location: (location ?? datacenter.location).name,
      placement_group: placement_group?.id,
      public_net: publicNetOf(server, view),
      networks: private_net.map(({ network, ip, alias_ips }: Fields) => ({ network, ip, alias_ips })),
      iso: server.iso?.name,
      start_after_create: server.status !== 'off',
      rescue: server.rescue_enabled || null,
      backups: server.backup_window !== null || null,
      labels,
      protection: protectedParts(server.protection),
    }
  },
  untold: ['ssh_keys', 'user_data', 'passwords', 'the keys of the rescue system', 'what is on the disk'],
}
