/** What the parent of a zone said when it was asked last, and when it is asked again. */
import type { Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { FoundDelegation } from '../driver.ts'

/** A zone whose parent is to be asked. */
export interface DueDelegation {
  readonly id: number
  readonly name: string
  readonly scope: ProjectScope
  readonly created: string
  /** The clock's time in milliseconds. */
  readonly due: number
}

/** Takes a zone in hand until a time, unless another process did. Returns whether this one won. */
export async function claimDelegation(tx: Transaction, { id, scope, due }: DueDelegation, until: number) {
  const { numUpdatedRows } = await scoped(tx.query, scope)
    .updateTable('zone')
    .set({ delegation_due: until })
    .where('id', '=', id)
    .where('delegation_due', '=', due)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Records what the parent said, or only when it is asked again where it did not answer. */
export async function recordDelegation(
  tx: Transaction,
  { id, scope }: DueDelegation,
  due: number,
  found: (FoundDelegation & { readonly checked: string }) | undefined,
): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('zone')
    .set({
      delegation_due: due,
      ...(found && {
        delegated: JSON.stringify(found.delegated),
        delegation_status: found.status,
        delegation_checked: found.checked,
      }),
    })
    .where('id', '=', id)
    .execute()
}
