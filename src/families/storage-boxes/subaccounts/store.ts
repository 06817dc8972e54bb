/** Subaccounts in the database. */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { preparedScoped } from '../../../kernel/data/scoped.ts'
import { notFound, notUnique } from '../../../kernel/errors.ts'
import { type AtOnce, after } from '../../../kernel/process/at-once.ts'
import { readLabels } from '../../../kernel/resource/label-index.ts'
import { defineResource } from '../../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { accessColumns, accessOf } from '../domain.ts'
import type { SubaccountRow } from '../tables.ts'
import { subaccountSpelling } from './contract.ts'
import { type Subaccount, subaccountFlags } from './domain.ts'

function fromRow(row: SubaccountRow): Subaccount {
  return {
    id: row.id,
    boxId: row.storage_box_id,
    number: row.number,
    name: row.name,
    description: row.description,
    home: row.home_directory,
    access: accessOf(subaccountFlags, row),
    passwordHash: row.password_hash,
    formerPasswordHash: row.former_password_hash,
    sshKeys: JSON.parse(row.ssh_keys),
    isLeaving: row.is_leaving === 1,
    labels: readLabels(row.labels),
    created: row.created,
    version: row.version,
  }
}

/** Names are unique in a box: they are given under its lock. */
export const subaccounts = defineResource({ ...subaccountSpelling, fromRow })

const ofBox = preparedScoped((rows, box: number) =>
  rows.selectFrom('storage_box_subaccount').selectAll().where('storage_box_id', '=', box),
)

/** The subaccounts of a box, by id. */
export function subaccountsOf(query: Queries, scope: ProjectScope, box: number): AtOnce<readonly Subaccount[]> {
  return after(ofBox(query, scope, box), (rows) => rows.map(subaccounts.ofRow).toSorted((a, b) => a.id - b.id))
}

/** A subaccount of a box. Errors: `not_found`, also for one of another box. */
export function subaccountIn(query: Queries, scope: ProjectScope, box: number, id: number): AtOnce<Subaccount> {
  return after(subaccounts.find(query, scope, id), (found) => {
    if (found?.boxId !== box) throw notFound(subaccountSpelling.title, id)
    return found
  })
}

/** Refuses a name that another one of the same box has. Errors: `uniqueness_error`. */
export function checkName(others: readonly Subaccount[], name: string, own?: number): void {
  const isTaken = others.some((one) => one.name === name && one.id !== own)
  if (isTaken) throw notUnique('name', 'subaccount name is already used')
}

export type NewSubaccount = Omit<
  Subaccount,
  'id' | 'created' | 'version' | 'formerPasswordHash' | 'sshKeys' | 'isLeaving'
>

/** Adds a subaccount, under the lock of its box. */
export function insertSubaccount(tx: Transaction, scope: ProjectScope, given: NewSubaccount): Promise<Subaccount> {
  return subaccounts.insert(tx, scope, {
    storage_box_id: given.boxId,
    number: given.number,
    name: given.name,
    description: given.description,
    home_directory: given.home,
    ...accessColumns(given.access),
    password_hash: given.passwordHash,
    former_password_hash: null,
    ssh_keys: '[]',
    is_leaving: 0,
    labels: given.labels,
  })
}
