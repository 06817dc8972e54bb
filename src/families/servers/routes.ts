/** Servers through the API. */
import { hash, randomInt } from 'node:crypto'
import { lockProject } from '../../kernel/access/projects.ts'
import type { ActionDefinition } from '../../kernel/actions/define.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { startAction, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import { beforeWrite, changedMeanwhile, optimistically } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { isHostName } from '../../net/hostnames.ts'
import type { Platform } from '../../platform.ts'
import { attachNewServer, holdAsked, rematchServer } from '../firewalls/effects.ts'
import { createPrimaryIpFor } from '../primary-ips/effects.ts'
import {
  changeServerProtection,
  createServer,
  destroyServer,
  onServer,
  rebootServer,
  resetServer,
  shutdownServer,
  startServer,
  stopServer,
} from './actions.ts'
import type { serverEndpoints } from './contract.ts'
import { diskRoutes } from './disk-routes.ts'
import { makePassword, type Server } from './domain.ts'
import {
  type CreateBody,
  checkRequest,
  holdTemplate,
  type Placement,
  placeServer,
  requestedKeys,
  unknownFirewall,
} from './placement.ts'
import {
  getServer,
  insertServer,
  limitedServers,
  listServers,
  lockServer,
  type PowerChange,
  setProtection,
  updateServer,
  wantPower,
} from './store.ts'
import { serversToWire, serverToWire } from './view.ts'

/** One handler for each endpoint. */
export function serverRoutes(platform: Platform): Handlers<typeof serverEndpoints> {
  const { db, faults } = platform

  /** Sets the desired power of a server and starts the action that makes it so. */
  const power =
    (
      definition: ActionDefinition<{ readonly server: number }>,
      wanted: (server: Server, actionId: number) => PowerChange,
    ) =>
    async ({ scope, params: { id } }: { scope: ProjectScope; params: { id: number } }) => {
      const action = await db.transact(async (tx) => {
        const server = await lockServer(tx, scope, id)
        const started = await startAction(tx, scope, { definition, input: { server: id }, ...onServer(id) })
        await wantPower(tx, scope, id, wanted(server, started.id))
        return started
      })
      return { action: actionToWire(action) }
    }

  return {
    ...diskRoutes(platform),

    async list({ scope, query }) {
      const { servers, pagination } = await listServers(db.query, scope, query, { status: query.status })
      return { servers: await serversToWire(platform, db.query, scope, servers), meta: { pagination } }
    },

    async create({ scope, body }) {
      checkRequest(body)
      const placement = await placeServer(platform, scope, body)
      const sshKeys = await requestedKeys(db.query, scope, body)
      const password = sshKeys.length === 0 ? makePassword(randomInt) : null
      return db.transact(async (tx) => {
        await enforceLimit(tx, scope, limitedServers, platform.limits)
        await lockProject(tx, scope, 'share')
        const firewallIds = (body.firewalls ?? []).map(({ firewall }) => firewall)
        await holdAsked(tx, scope, firewallIds, unknownFirewall)
        const server = await insertServer(tx, scope, newServer(body, placement, sshKeys, password))
        await holdTemplate(tx, scope, placement.image)
        await createAddresses(tx, scope, server, body)
        const [action, ...next] = await startCreation(tx, scope, server, body)
        return {
          server: await serverToWire(platform, tx.query, scope, server),
          action: action!,
          next_actions: next,
          root_password: password,
        }
      })
    },

    async get({ scope, params }) {
      const server = await getServer(db.query, scope, params.id)
      return { server: await serverToWire(platform, db.query, scope, server) }
    },

    async update({ scope, params, body }) {
      if (body.name !== undefined && !isHostName(body.name)) {
        throw invalidInput([{ field: 'name', message: 'Name must be a valid hostname.' }])
      }
      const server = await optimistically(async () => {
        const before = await getServer(db.query, scope, params.id)
        await beforeWrite(faults, 'server')
        const { name = before.name, labels = before.labels } = body
        return db.transact(async (tx) => {
          if (body.labels) await lockProject(tx, scope, 'share')
          const after = await updateServer(tx, scope, before, { name, labels })
          if (after === changedMeanwhile) return after
          if (body.labels) await startActions(tx, scope, await rematchServer(tx, scope, after))
          return serverToWire(platform, tx.query, scope, after)
        })
      })
      return { server }
    },

    async remove({ scope, params: { id } }) {
      const action = await db.transact(async (tx) => {
        const server = await lockServer(tx, scope, id)
        if (server.protection.delete) throw new ApiError('protected', 'server deletion is protected')
        const started = await startAction(tx, scope, {
          definition: destroyServer,
          input: { server: id },
          ...onServer(id),
        })
        await wantPower(tx, scope, id, { power: 'off', manner: 'hard', status: 'deleting' })
        return started
      })
      return { action: actionToWire(action) }
    },

    powerOn: power(startServer, ({ status }) => ({
      power: 'on',
      manner: 'hard',
      status: status === 'running' ? 'running' : 'starting',
    })),
    powerOff: power(stopServer, ({ status }) => ({
      power: 'off',
      manner: 'hard',
      status: status === 'off' ? 'off' : 'stopping',
    })),
    shutDown: power(shutdownServer, ({ status }) => ({
      power: 'off',
      manner: 'guest',
      status: status === 'off' ? 'off' : 'stopping',
    })),
    reboot: power(rebootServer, ({ status }, cycle) => ({ power: 'on', manner: 'guest', cycle, status })),
    reset: power(resetServer, ({ status }, cycle) => ({ power: 'on', manner: 'hard', cycle, status })),

    async changeProtection({ scope, params: { id }, body }) {
      const action = await db.transact(async (tx) => {
        const server = await lockServer(tx, scope, id)
        const protection = { ...server.protection, ...body }
        if (protection.delete !== protection.rebuild) {
          const message = 'delete and rebuild must have the same value'
          throw invalidInput([
            { field: 'delete', message },
            { field: 'rebuild', message },
          ])
        }
        await setProtection(tx, scope, id, protection)
        const resources = [{ type: 'server', id }]
        return startAction(tx, scope, { definition: changeServerProtection, input: { server: id }, resources })
      })
      return { action: actionToWire(action) }
    },
  }

  async function createAddresses(
    tx: Transaction,
    scope: ProjectScope,
    server: Server,
    body: CreateBody,
  ): Promise<void> {
    const { enable_ipv4: ipv4 = true, enable_ipv6: ipv6 = true } = body.public_net ?? {}
    const place = { id: server.id, location: server.locationId }
    if (ipv4) await createPrimaryIpFor(tx, scope, place, 'ipv4', platform.reverseDomain)
    if (ipv6) await createPrimaryIpFor(tx, scope, place, 'ipv6', platform.reverseDomain)
  }
}

function newServer(body: CreateBody, { type, location, image }: Placement, sshKeys: string[], password: string | null) {
  return {
    name: body.name,
    serverTypeId: type.id,
    locationId: location.id,
    imageId: image.id,
    cores: type.cores,
    memoryMb: Math.round(type.memory * 1024),
    primaryDiskSize: type.disk,
    userData: body.user_data ?? null,
    sshKeys,
    // 116 random bits need no slow hash.
    rootPasswordHash: password === null ? null : hash('sha256', password),
    labels: body.labels ?? {},
  }
}

/**
 * Starts what makes the server: creation, its packet filter, then its power. They run in this order, because they wait
 * for each other by id; the lock belongs to the last, so that the server is locked until all is done. The reply names the
 * start first, as clients know it (facts: Servers 3).
 */
async function startCreation(tx: Transaction, scope: ProjectScope, server: Server, body: CreateBody) {
  const starts = body.start_after_create !== false
  const { resources, locks, serial } = onServer(server.id)
  const input = { server: server.id }
  const create = toStart({
    definition: createServer,
    input: { ...input, starts },
    resources: [...resources, { type: 'image', id: server.imageId as number }],
    serial: serial!,
    ...(starts ? {} : { locks: locks! }),
  })
  const firewallIds = (body.firewalls ?? []).map(({ firewall }) => firewall)
  const filters = await attachNewServer(tx, scope, server, firewallIds)
  const start = starts ? [toStart({ definition: startServer, input, resources, locks: locks!, serial: serial! })] : []
  const actions = (await startActions(tx, scope, [create, ...filters, ...start])).map(actionToWire)
  return starts ? [actions[0]!, actions.at(-1)!, ...actions.slice(1, -1)] : actions
}
