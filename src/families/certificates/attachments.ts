/** Everything that uses certificates. Adding a kind is one line here. */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { certificateUsers } from '../load-balancers/services/attachment.ts'
import type { UserKind } from './attachment.ts'
import { usersOf } from './store.ts'

const userKinds: readonly UserKind[] = [certificateUsers]

/** Tells all who use a certificate that it has another chain now. */
export async function tellUsers(tx: Transaction, scope: ProjectScope, certificateId: number): Promise<void> {
  const users = (await usersOf(tx.query, scope, [certificateId])).get(certificateId) ?? []
  for (const { type, follow } of userKinds) {
    const ids = users.filter((user) => user.type === type).map(({ id }) => id)
    if (ids.length > 0) await follow(tx, scope, ids)
  }
}
