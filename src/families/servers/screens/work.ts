/** Consoles, on request. */
import { randomInt } from 'node:crypto'
import { needCapability } from '../../../catalogue/capabilities.ts'
import { askerOf } from '../../../kernel/access/principal.ts'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { recordOf, startAction } from '../../../kernel/actions/store.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { Platform } from '../../../platform.ts'
import { passwordLength } from '../../../protocols/net/rfb.ts'
import { makePassword } from '../domain.ts'
import { servers } from '../store.ts'
import { requestConsole } from './actions.ts'
import type { consoleEndpoints } from './contract.ts'
import { consolePath, sessionMs } from './domain.ts'
import { insertSession, makeSessionToken, passwordPlace, sessionTokenHash } from './store.ts'

/** Makes a session that somebody may open once, soon. Errors: `unsupported_error`, `service_error`. */
export function openSession(
  { db, secrets, capabilities }: Platform,
  { caller, scope, params: { id }, origin }: Calls<typeof consoleEndpoints>['requestConsole'],
) {
  const token = makeSessionToken()
  const password = makePassword(randomInt, passwordLength)
  return db.transact(async (tx) => {
    const { powerInForce, locationId } = await servers.lock(tx, scope, id)
    needCapability(capabilities(locationId), 'console')
    if (powerInForce === 'off') throw new ApiError('service_error', 'server is not running')
    const action = await startAction(tx, scope, recordOf(requestConsole, servers.ref(id)))
    await insertSession(tx, scope, {
      id: action.id,
      server_id: id,
      token_hash: sessionTokenHash(token),
      password: await secrets.seal(tx, scope, passwordPlace(action.id), password),
      expires: timestamp(tx.now + sessionMs),
      asker: JSON.stringify(askerOf(caller)),
    })
    const address = `${origin().replace(/^http/, 'ws')}${consolePath}?token=${token}`
    return { action: actionToWire(action), wss_url: address, password }
  })
}
