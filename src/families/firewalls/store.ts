/** Firewalls in the database; applications/store.ts has what they are applied to. */
import { sql } from 'kysely'
import type { Queries } from '../../kernel/data/db.ts'
import { preparedScoped } from '../../kernel/data/scoped.ts'
import { notFound } from '../../kernel/errors.ts'
import { after } from '../../kernel/process/at-once.ts'
import { remembering } from '../../kernel/process/remembered.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import { type Firewall, inOrder, type Rule } from './domain.ts'
import type { FirewallRow } from './tables.ts'

/** The rules of a row's text. Earlier versions stored them in any order. */
const readRules = remembering((text) => inOrder(JSON.parse(text) as Rule[]))

/** A firewall of a row. */
export function fromRow({ id, name, labels, rules, created, version }: FirewallRow): Firewall {
  return { id, name, labels: readLabels(labels), rules: readRules(rules), created, version }
}

export const firewalls = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

const firewallInUse = preparedScoped((rows, id: number) => {
  const applications = rows
    .selectFrom('firewall_application')
    .select('id')
    .where('firewall_id', '=', sql.ref<number>('firewall.id'))
  return rows
    .selectFrom('firewall')
    .selectAll()
    .select(({ exists }) => exists(applications).as('is_applied'))
    .where('id', '=', id)
})

/** The row of a firewall, and whether it is applied to anything: most are not, so that one statement is enough. Errors: `not_found`. */
export function firewallRow(query: Queries, scope: ProjectScope, id: number) {
  return after(firewallInUse(query, scope, id), ([row]) => {
    if (!row) throw notFound('firewall', id)
    return row
  })
}
