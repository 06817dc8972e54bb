/** The rescue system and new passwords, on request. */
import { randomBytes, randomInt } from 'node:crypto'
import { needCapability } from '../../../catalogue/capabilities.ts'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { refuseLocked } from '../../../kernel/actions/store.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { Platform } from '../../../platform.ts'
import { hashPassword } from '../../../protocols/net/crypt.ts'
import { startChange } from '../actions.ts'
import { serverChanges } from '../changes.ts'
import { makePassword, rescueMs } from '../domain.ts'
import { servers, setRescue } from '../store.ts'
import { requestedKeys } from '../work.ts'
import { disableRescue, enableRescue, resetPassword } from './actions.ts'
import type { accessEndpoints } from './contract.ts'

type Call = Calls<typeof accessEndpoints>

/** Lets the next boot go to the rescue system. Errors: `invalid_input`, `unsupported_error`, `locked`. */
export async function enable(
  { db, clock, capabilities }: Platform,
  { scope, params: { id }, body }: Call['enableRescue'],
) {
  if (body.type === 'linux32' && inEffect(serverChanges.rescue_linux32_removed, clock.now())) {
    throw invalidInput([{ field: 'type', message: 'must be linux64' }])
  }
  const password = makePassword(randomInt)
  return db.transact(async (tx) => {
    const { locationId } = await servers.lock(tx, scope, id)
    needCapability(capabilities(locationId), 'rescue')
    const sshKeys = await requestedKeys(tx.query, scope, body)
    const action = await startChange(tx, scope, enableRescue, id)
    const until = timestamp(tx.now + rescueMs)
    await setRescue(tx, scope, id, { until, sshKeys, rootPasswordHash: hashPassword(password, randomBytes(12)) })
    return { action: actionToWire(action), root_password: password }
  })
}

/** Lets the next boot go to the disk again. Errors: `locked`. */
export const disable = ({ db }: Platform, { scope, params: { id } }: Call['disableRescue']) =>
  db.transact(async (tx) => {
    await servers.lock(tx, scope, id)
    const action = await startChange(tx, scope, disableRescue, id)
    await setRescue(tx, scope, id, null)
    return { action: actionToWire(action) }
  })

/** Gives root of a running server another password. Errors: `locked`, `service_error`. */
export async function reset({ db }: Platform, { scope, params: { id } }: Call['resetPassword']) {
  const password = makePassword(randomInt)
  return db.transact(async (tx) => {
    const { status } = await servers.lock(tx, scope, id)
    await refuseLocked(tx.query, scope, servers.ref(id))
    if (status !== 'running') throw new ApiError('service_error', 'server is not running')
    const action = await startChange(tx, scope, resetPassword, id)
    await servers.set(tx, scope, id, {
      root_password_hash: hashPassword(password, randomBytes(12)),
      password_reset: action.id,
    })
    return { action: actionToWire(action), root_password: password }
  })
}
