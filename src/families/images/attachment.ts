import type { Attachment } from '../servers/attachment.ts'
import { discardImages } from './actions.ts'
import { lockBackups } from './store.ts'

/** Backups are bound to their server; snapshots stay (spec: Image). */
export const backupAttachment: Attachment = {
  detach: async (tx, scope, serverId) => discardImages(tx, scope, await lockBackups(tx, scope, serverId)),
}
