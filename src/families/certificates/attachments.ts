/** Everything that uses certificates: so far Load Balancers alone. */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { followBalancers } from '../load-balancers/effects.ts'
import { usersOf } from './store.ts'

/** Tells all who use a certificate that it has another chain now, which is part of what is desired of them. */
export async function tellUsers(tx: Transaction, scope: ProjectScope, certificateId: number): Promise<void> {
  const users = (await usersOf(tx.query, scope, [certificateId])).get(certificateId) ?? []
  const balancers = users.filter(({ type }) => type === 'load_balancer').map(({ id }) => id)
  if (balancers.length > 0) await followBalancers(tx, scope, balancers)
}
