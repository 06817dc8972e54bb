/** Who can be in placement groups. */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { serverState } from '../servers/effects.ts'
import { holdServers } from '../servers/reads.ts'

/** Tells the infrastructure that servers are bound no longer. Returns those that there are, which are locked then. */
export async function releaseServers(
  tx: Transaction,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const held = await holdServers(tx, scope, serverIds)
  await serverState.renew(tx, scope, [...held])
  return held
}
