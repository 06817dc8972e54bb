/** ISOs of servers, on request. */
import { needCapability } from '../../../catalogue/capabilities.ts'
import type { ActionDefinition } from '../../../kernel/actions/define.ts'
import { type ActionStart, refuseLocked, toStart } from '../../../kernel/actions/store.ts'
import { byIdOrName, type Calls } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { isoUnfitFor } from '../../isos/reads.ts'
import { onServer } from '../actions.ts'
import { state } from '../desired.ts'
import type { Server } from '../domain.ts'
import { servers } from '../store.ts'
import { attachIso, detachIso } from './actions.ts'
import type { isoEndpoints } from './contract.ts'

type Call = Calls<typeof isoEndpoints>

/** Puts an ISO into the drive of a server. Errors: `invalid_input`, `unsupported_error`, `locked`. */
export const attach = (platform: Platform, call: Call['attachIso']) =>
  act(platform, servers, call, (tx, server) =>
    change(tx, call.scope, server, attachIso, findIso(platform, server, call.body.iso)),
  )

/** Takes the ISO out of the drive of a server. Errors: `locked`. */
export const detach = (platform: Platform, call: Call['detachIso']) =>
  act(platform, servers, call, (tx, server) => change(tx, call.scope, server, detachIso, null))

/** The id of an ISO that fits a server. Errors: `invalid_input`, `unsupported_error`. */
function findIso({ catalogue, clock, capabilities }: Platform, server: Server, asked: number | string): number {
  needCapability(capabilities(server.locationId), 'iso')
  const iso = byIdOrName(asked, catalogue.isoById, catalogue.isoByName)
  const type = catalogue.serverTypeById(server.serverTypeId)
  if (!type) throw new Error(`the catalogue lacks the type of server ${server.id}`)
  if (!iso) throw invalidInput([{ field: 'iso', message: 'ISO not found' }])
  const problem = isoUnfitFor(iso, type.architecture, clock.now())
  if (problem) throw invalidInput([{ field: 'iso', message: problem }])
  return iso.id
}

/** Changes what is in the drive of a server that the transaction has locked. Errors: `locked`. */
async function change(
  tx: Transaction,
  scope: ProjectScope,
  { id, isoId: former }: Server,
  definition: ActionDefinition<{ server: number; former: number | null }>,
  iso: number | null,
): Promise<ActionStart> {
  await refuseLocked(tx.query, scope, servers.ref(id))
  await servers.set(tx, scope, id, { iso })
  await state.renew(tx, scope, [id])
  return toStart({ definition, input: { server: id, former }, ...onServer(id) })
}
