/** Says why a server cannot be changed while something else changes it. */
import type { Action } from '../../../api/actions.ts'
import type { Server } from '../server.ts'
import { servers as w } from '../words.ts'

export function busyReason({ locked }: Server, action: Action | undefined): string | undefined {
  return locked || action ? w.isBusy : undefined
}
