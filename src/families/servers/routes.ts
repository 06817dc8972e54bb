/** Servers through the API. */
import { randomBytes, randomInt } from 'node:crypto'
import { lockProject } from '../../kernel/access/projects.ts'
import type { ActionDefinition, Drivers } from '../../kernel/actions/define.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, recordOf, startAction, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Action } from '../../kernel/actions/tables.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { act, adding, resourceRoutes } from '../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { hashPassword } from '../../protocols/net/crypt.ts'
import { isHostName } from '../../protocols/net/hostnames.ts'
import { accessRoutes } from './access/routes.ts'
import {
  changeServerProtection,
  createServer,
  destroyServer,
  type Input,
  onServer,
  rebootServer,
  resetServer,
  shutdownServer,
  startServer,
  stopServer,
} from './actions.ts'
import type { CreateBody } from './attachment.ts'
import { attachments } from './attachments.ts'
import { consoleRoutes } from './console/routes.ts'
import type { serverEndpoints } from './contract.ts'
import { isConnected, state } from './desired.ts'
import { diskRoutes } from './disk/routes.ts'
import { allows, makePassword, memoryMbOf, type Server } from './domain.ts'
import { isoRoutes } from './iso/routes.ts'
import { metricRoutes } from './metrics/routes.ts'
import { checkRequest, holdTemplate, type Placement, placeServer, requestedKeys, withoutNetwork } from './placement.ts'
import { membershipRoutes } from './placement-groups/routes.ts'
import { insertServer, type PowerChange, servers, setPower } from './store.ts'
import { typeRoutes } from './type/routes.ts'
import { serversToWire, serverToWire } from './view.ts'

/** One handler for each endpoint. */
export function serverRoutes(platform: Platform, drivers: Drivers): Handlers<typeof serverEndpoints> {
  const { db } = platform

  /** Sets the desired power of a server and starts the action that makes it so. */
  const power =
    (definition: ActionDefinition<Input>, wanted: (server: Server, actionId: number) => PowerChange) =>
    async ({ scope, params: { id } }: { scope: ProjectScope; params: { id: number } }) => {
      const action = await db.transact(async (tx) => {
        const server = await servers.lock(tx, scope, id)
        return changePower(tx, scope, server, definition, wanted)
      })
      return { action: actionToWire(action) }
    }

  const resource = resourceRoutes(
    platform,
    servers,
    (some, query, { scope }) => serversToWire(platform, query, scope, some),
    {
      async before(tx, scope, { labels }) {
        if (labels) await lockProject(tx, scope, 'share')
      },
      async after(tx, scope, server, { name, labels }) {
        if (name !== undefined) await state.renew(tx, scope, [server.id])
        if (!labels) return
        const starts: ActionStart[] = []
        for (const { relabel } of attachments) starts.push(...((await relabel?.(tx, scope, server)) ?? []))
        await startActions(tx, scope, starts)
      },
    },
  )

  return {
    ...diskRoutes(platform),
    ...membershipRoutes(platform),
    ...isoRoutes(platform),
    ...typeRoutes(platform),
    ...accessRoutes(platform),
    ...consoleRoutes(platform),
    ...metricRoutes(platform, drivers),
    ...resource,

    async create({ scope, body }) {
      checkRequest(body)
      const placement = await placeServer(platform, scope, body)
      const sshKeys = await requestedKeys(db.query, scope, body)
      const password = sshKeys.length === 0 ? makePassword(randomInt) : null
      return adding(platform, servers, scope, async (tx) => {
        for (const { limit } of attachments) await limit?.(tx, scope, body, platform.limits)
        await lockProject(tx, scope, 'share')
        for (const { hold } of attachments) await hold?.(tx, scope, body)
        const server = await insertServer(tx, scope, newServer(body, placement, sshKeys, password))
        await state.renew(tx, scope, [server.id])
        await holdTemplate(tx, scope, placement.image)
        const attached: ActionStart[] = []
        for (const { attach } of attachments) {
          attached.push(...((await attach?.(tx, scope, server, body, platform)) ?? []))
        }
        const [action, ...next] = await startCreation(tx, scope, server, attached, body.start_after_create !== false)
        return {
          server: await serverToWire(platform, tx.query, scope, server),
          action: action!,
          next_actions: next,
          root_password: password,
        }
      })
    },

    async update(call) {
      const { name } = call.body
      if (name !== undefined && !isHostName(name)) {
        throw invalidInput([{ field: 'name', message: 'Name must be a valid hostname.' }])
      }
      return resource.update(call)
    },

    async remove({ scope, params: { id } }) {
      const action = await db.transact(async (tx) => {
        const server = await servers.lock(tx, scope, id)
        if (server.protection.delete) throw new ApiError('protected', 'server deletion is protected')
        const off = { power: 'off', manner: 'hard', status: 'deleting' } as const
        return changePower(tx, scope, server, destroyServer, () => off)
      })
      return { action: actionToWire(action) }
    },

    powerOn: power(startServer, ({ status }) => ({
      power: 'on',
      manner: 'hard',
      status: allows(status, 'powerOn') ? 'starting' : status,
    })),
    powerOff: power(stopServer, ({ status }) => ({
      power: 'off',
      manner: 'hard',
      status: allows(status, 'powerOff') ? 'stopping' : status,
    })),
    shutDown: power(shutdownServer, ({ status }) => ({
      power: 'off',
      manner: 'guest',
      status: allows(status, 'shutDown') ? 'stopping' : status,
    })),
    reboot: power(rebootServer, ({ status }, cycle) => ({ power: 'on', manner: 'guest', cycle, status })),
    reset: power(resetServer, ({ status }, cycle) => ({ power: 'on', manner: 'hard', cycle, status })),

    changeProtection: (call) =>
      act(platform, servers, call, async (tx, server) => {
        const protection = { ...server.protection, ...call.body }
        if (protection.delete !== protection.rebuild) {
          const message = 'delete and rebuild must have the same value'
          throw invalidInput([
            { field: 'delete', message },
            { field: 'rebuild', message },
          ])
        }
        const on = protection.delete ? 1 : 0
        await servers.set(tx, call.scope, server.id, { protect_delete: on, protect_rebuild: on })
        return recordOf(changeServerProtection, servers.ref(server.id))
      }),
  }
}

/**
 * Changes the desired power of a server that the transaction has locked. Errors: `locked`; `invalid_input` when a server
 * without any network would start.
 */
async function changePower(
  tx: Transaction,
  scope: ProjectScope,
  server: Server,
  definition: ActionDefinition<Input>,
  wanted: (server: Server, actionId: number) => PowerChange,
): Promise<Action> {
  const { id } = server
  await state.renew(tx, scope, [id])
  const action = await startAction(tx, scope, { definition, input: { server: id }, ...onServer(id) })
  const change = wanted(server, action.id)
  if (change.power === 'on' && server.powerInForce === 'off' && !(await isConnected(tx.query, scope, id))) {
    throw withoutNetwork()
  }
  await setPower(tx, scope, id, change)
  return action
}

function newServer(body: CreateBody, { type, location, image }: Placement, sshKeys: string[], password: string | null) {
  return {
    name: body.name,
    serverTypeId: type.id,
    locationId: location.id,
    imageId: image.id,
    cores: type.cores,
    memoryMb: memoryMbOf(type),
    primaryDiskSize: type.disk,
    userData: body.user_data ?? null,
    sshKeys,
    rootPasswordHash: password === null ? null : hashPassword(password, randomBytes(12)),
    labels: body.labels ?? {},
  }
}

/**
 * Starts what makes the server: creation, what is attached to it, then its power. They run in this order, because they
 * wait for each other by id; the last one has the lock, so that the server is locked until all is done. The reply names
 * the start first, as clients know it (spec: Servers).
 */
async function startCreation(
  tx: Transaction,
  scope: ProjectScope,
  server: Server,
  attached: readonly ActionStart[],
  starts: boolean,
) {
  const { resources, locks, serial } = onServer(server.id)
  const input = { server: server.id }
  const create = toStart({
    definition: createServer,
    input: { ...input, starts },
    resources: [...resources, { type: 'image', id: server.imageId as number }],
    serial: serial!,
  })
  const start = starts ? [toStart({ definition: startServer, input, resources, serial: serial! })] : []
  const all = [create, ...attached, ...start]
  const last = all.at(-1)!
  const holding = all.with(-1, { ...last, locks: [...(last.locks ?? []), ...locks!] })
  const actions = (await startActions(tx, scope, holding)).map(actionToWire)
  return starts ? [actions[0]!, actions.at(-1)!, ...actions.slice(1, -1)] : actions
}
