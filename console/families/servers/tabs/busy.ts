/** Why nothing about a server can be changed while something else changes it. */
import type { Action } from '../../../api/actions.ts'
import { servers } from '../../../words/en/servers.ts'
import { wordsOf } from '../../../words/words.ts'
import type { Server } from '../server.ts'

const w = wordsOf('servers', servers)

export function busyReason({ locked }: Server, action: Action | undefined): string | undefined {
  return locked || action ? w.isBusy : undefined
}
