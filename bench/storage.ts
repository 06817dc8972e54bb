/**
 * Storage Boxes: what their plans cost the clock, and their doors beside OpenSSH. Each part measures on its own, in about two
 * minutes at the most.
 */
import { mkdirSync } from 'node:fs'
import { programAt, whyImpossible } from '../src/drivers/storage/doors/jail/possible.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'
import { connections } from './storage-connections.ts'
import { logins } from './storage-logins.ts'
import { plans } from './storage-plans.ts'
import { doorsSite, opensshSite, type Sites } from './storage-sites.ts'
import { transfers } from './storage-transfers.ts'

const byDoors =
  (measure: (sites: Sites, effort: Effort) => Promise<Row[]>) =>
  async (workshop: Workshop, effort: Effort): Promise<Row[]> => {
    const lacking = ['sshd', 'sftp', 'rsync', 'ssh-keygen'].filter((name) => programAt(name) === undefined)
    const why = whyImpossible() ?? (lacking.length > 0 ? `${lacking.join(', ')} is not installed` : undefined)
    if (why !== undefined) {
      console.error(`the doors of Storage Boxes are not measured: ${why}`)
      return []
    }
    const local = workshop.file('local')
    mkdirSync(local)
    return measure({ wolke: await doorsSite(workshop), bare: await opensshSite(workshop), local }, effort)
  }

export const storage = {
  'storage-plans': plans,
  'storage-large': byDoors(transfers('sftp', 'large')),
  'storage-small': byDoors(transfers('sftp', 'many')),
  'storage-rsync-large': byDoors(transfers('rsync', 'large')),
  'storage-rsync-small': byDoors(transfers('rsync', 'many')),
  'storage-connections': byDoors(connections),
  'storage-logins': byDoors(logins),
}
