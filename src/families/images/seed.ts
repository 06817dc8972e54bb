/** Snapshots of servers in seed files, where their names are their descriptions. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  create: 'create_image',
  at: 'server',
  naming: 'description',
  without: ['type', 'description'],
  always: { type: 'snapshot' },
  filter: { type: 'snapshot' },
  parts: { protection },
  entry: ({ created_from, labels, protection }, { has, remark }) => {
    const isThere = has('server', created_from?.id)
    if (!isThere) remark('server: left out, because the server that it was made from is gone')
    return { server: isThere ? created_from.id : null, labels, protection: protectedParts(protection) }
  },
  untold: ['backups', 'what is on the disk'],
}
