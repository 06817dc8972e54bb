/** ISOs of servers through the API. */
import { needCapability } from '../../../catalogue/capabilities.ts'
import type { ActionDefinition } from '../../../kernel/actions/define.ts'
import { type ActionStart, refuseLocked, toStart } from '../../../kernel/actions/store.ts'
import { type Handlers, toIdOrName } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { act } from '../../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { isoUnfitFor } from '../../isos/reads.ts'
import { onServer } from '../actions.ts'
import { state } from '../desired.ts'
import type { Server } from '../domain.ts'
import { servers } from '../store.ts'
import { attachIso, detachIso } from './actions.ts'
import type { isoEndpoints } from './contract.ts'

/** One handler for each endpoint that is about the ISO of a server. */
export function isoRoutes(platform: Platform): Handlers<typeof isoEndpoints> {
  const { catalogue, clock, capabilities } = platform

  return {
    attachIso: (call) =>
      act(platform, servers, call, (tx, server) =>
        change(tx, call.scope, server, attachIso, findIso(server, call.body.iso)),
      ),

    detachIso: (call) => act(platform, servers, call, (tx, server) => change(tx, call.scope, server, detachIso, null)),
  }

  /** The id of an ISO that fits a server. Errors: `invalid_input`, `unsupported_error`. */
  function findIso(server: Server, asked: number | string): number {
    needCapability(capabilities(server.locationId), 'iso')
    const key = toIdOrName(asked)
    const iso = 'id' in key ? catalogue.isoById(key.id) : catalogue.isoByName(key.name)
    const type = catalogue.serverTypeById(server.serverTypeId)
    if (!type) throw new Error(`the catalogue lacks the type of server ${server.id}`)
    if (!iso) throw invalidInput([{ field: 'iso', message: 'ISO not found' }])
    const problem = isoUnfitFor(iso, type.architecture, clock.now())
    if (problem) throw invalidInput([{ field: 'iso', message: problem }])
    return iso.id
  }
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
