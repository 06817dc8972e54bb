/** Changing the type of a server, on request. */
import type { ServerType } from '../../../catalogue/catalogue.ts'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { refuseLocked } from '../../../kernel/actions/store.ts'
import { byIdOrName, type Calls } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import type { Platform } from '../../../platform.ts'
import { startChange } from '../actions.ts'
import { isConnected } from '../desired.ts'
import { allows, memoryMbOf, type Server } from '../domain.ts'
import { servers } from '../store.ts'
import { changeServerType } from './actions.ts'
import type { typeEndpoints } from './contract.ts'
import { unfitType } from './domain.ts'

/**
 * Gives a server that is off another type, and starts it. Errors: `invalid_input`, `locked`, `server_not_stopped`,
 * `invalid_server_type`.
 */
export function changeType(
  platform: Platform,
  {
    scope,
    params: { id },
    body: { server_type: asked, upgrade_disk: growsDisk },
  }: Calls<typeof typeEndpoints>['changeType'],
) {
  const { db, catalogue } = platform
  return db.transact(async (tx) => {
    const server = await servers.lock(tx, scope, id)
    const type = byIdOrName(asked, catalogue.serverTypeById, catalogue.serverTypeByName)
    if (!type) throw invalidInput([{ field: 'server_type', message: 'server type not found' }])
    await refuseLocked(tx.query, scope, servers.ref(id))
    checkChange(platform, server, type)
    const action = await startChange(tx, scope, changeServerType, id)
    await servers.set(tx, scope, id, {
      server_type: type.id,
      cores: type.cores,
      memory_mb: memoryMbOf(type),
      primary_disk_size: growsDisk ? type.disk : server.primaryDiskSize,
      power: (await isConnected(tx.query, scope, id)) ? 'on' : 'off',
      manner: 'hard',
      cycle: null,
      status: 'migrating',
    })
    return { action: actionToWire(action) }
  })
}

/** Errors: `server_not_stopped`, `invalid_server_type`. */
function checkChange({ catalogue, clock }: Platform, server: Server, wanted: ServerType): void {
  if (!allows(server.status, 'changeType')) {
    throw new ApiError('server_not_stopped', 'server must be off to change its type')
  }
  const current = catalogue.serverTypeById(server.serverTypeId)
  if (!current) throw new Error(`the catalogue lacks server type ${server.serverTypeId}`)
  const problem = unfitType(server, current, wanted, clock.now())
  if (problem) throw new ApiError('invalid_server_type', problem)
}
