/**
 * What can happen to zones. All of it is done when the request is answered: the next DNS query sees it, so that no
 * action of a zone ever keeps another one waiting or out.
 */
import { type ActionInput, defineAction } from '../../kernel/actions/define.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { startAction } from '../../kernel/actions/store.ts'
import type { Database, Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Zone } from './domain.ts'
import { lockZone } from './store.ts'

const commands = [
  'create_zone',
  'delete_zone',
  'change_ttl',
  'change_protection',
  'change_primary_nameservers',
  'import_zonefile',
  'create_rrset',
  'delete_rrset',
  'add_rrset_records',
  'remove_rrset_records',
  'set_rrset_records',
  'update_rrset_records',
  'change_rrset_ttl',
  'change_rrset_protection',
] as const

export type ZoneCommand = (typeof commands)[number]

export const zoneActions = commands.map((command) => defineAction<ActionInput>({ family: 'zones', command, steps: [] }))
const byCommand = new Map(zoneActions.map((definition) => [definition.command, definition]))

/** Records what was done to a zone, and returns the action as the API shows it. */
export async function recordAction(tx: Transaction, scope: ProjectScope, zone: Pick<Zone, 'id'>, command: ZoneCommand) {
  const definition = byCommand.get(command)!
  return actionToWire(
    await startAction(tx, scope, { definition, input: {}, resources: [{ type: 'zone', id: zone.id }] }),
  )
}

/**
 * Does something to a zone that nobody else can change meanwhile, and records it as an action, which the reply shows
 * beside what `work` returns. Errors: `not_found`; those of `work`.
 */
export function actOnZone<T>(
  db: Database,
  { scope, params }: { readonly scope: ProjectScope; readonly params: { readonly id_or_name: string } },
  command: ZoneCommand,
  work: (tx: Transaction, zone: Zone) => Promise<T>,
) {
  return db.transact(async (tx) => {
    const zone = await lockZone(tx, scope, params.id_or_name)
    const result = await work(tx, zone)
    return { ...result, action: await recordAction(tx, scope, zone, command) }
  })
}
