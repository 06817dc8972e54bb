/** The reason why something may not be done here, in words; undefined when it may. */

import { reachable } from '../api/client.ts'
import type { OperationId } from '../api/operations.ts'
import { type Lack, useLack } from '../api/session.ts'
import { createStore, useStore } from '../lib/store.ts'
import { shell as w } from '../words/shell.ts'

/** True once what the page shows was deleted while it was open. */
export const pageIsGone = createStore(false)

/** Returns the reason for buttons: `<Button reason={useReason('servers_create')}>`. */
export function useReason(operation: OperationId | undefined): string | undefined {
  const lack = useLack(operation)
  const { isReachable } = useStore(reachable)
  const isGone = useStore(pageIsGone)
  if (isGone) return w.states.isGone
  if (!isReachable) return w.states.offline
  return lackText(lack)
}

/** Returns what is lacking, in words. */
export function lackText(lack: Lack): string | undefined {
  if (lack === undefined) return undefined
  if (lack === 'operator') return w.states.lacksOperator
  return lack === 'owner' ? w.states.lacksOwner : w.states.lacks(w.roles[lack])
}
