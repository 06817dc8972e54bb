/** What happens to servers asynchronously. Every step hands the driver the whole desired state of one server. */
import { lockProject } from '../../kernel/access/projects.ts'
import { type ActionInput, DriverError, defineAction, type StepContext } from '../../kernel/actions/define.ts'
import type { ActionStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { enforceFilter, forgetServer, renewFilters } from '../firewalls/effects.ts'
import { enforceRouting, renewRouting, unassignAll } from '../floating-ips/effects.ts'
import { discardImages, lockBackups } from '../images/effects.ts'
import { releasePrimaryIpsOf } from '../primary-ips/effects.ts'
import { primaryIpsOfServers } from '../primary-ips/reads.ts'
import type { ServerState } from './driver.ts'
import { confirmPower, deleteServer, findServer, holdServers, revertPower, wantPower } from './store.ts'

export interface Input extends ActionInput {
  readonly server: number
}

export type Context = StepContext<Input>

/** What every action on a server names, waits for and, if it changes its power, locks. */
export function onServer(id: number): Pick<ActionStart, 'resources' | 'locks' | 'serial'> {
  const server = { type: 'server', id }
  return { resources: [server], locks: [server], serial: [server] }
}

async function desiredState({ query, scope, input }: Context): Promise<ServerState | undefined> {
  const server = await findServer(query, scope, input.server)
  if (!server) return undefined
  const ips = await primaryIpsOfServers(query, scope, [server.id])
  return {
    id: server.id,
    generation: server.generation,
    name: server.name,
    cores: server.cores,
    memoryMb: server.memoryMb,
    diskGb: server.primaryDiskSize,
    image: server.imageId,
    installation: server.installation,
    userData: server.userData,
    sshKeys: server.sshKeys,
    rootPasswordHash: server.rootPasswordHash,
    power: server.power,
    manner: server.manner,
    cycle: server.cycle,
    ipv4: ips.find((ip) => ip.type === 'ipv4')?.ip ?? null,
    ipv6: ips.find((ip) => ip.type === 'ipv6')?.ip ?? null,
  }
}

/**
 * What is wanted of a server now, ready to be handed to a driver, which may have lost the server and its packet filter
 * with it: one that is to have power stands behind its filter by then. A server whose filter cannot be put in force gets
 * no power.
 */
export async function settledState(context: Context): Promise<ServerState> {
  const state = await desiredState(context)
  if (!state) throw new DriverError('the server no longer exists', { transient: false })
  if (state.power === 'on') await enforceFilter(context, state.id)
  return state
}

/** Hands the driver what is wanted now. */
export async function follow(context: Context): Promise<void> {
  await context.drivers.servers.apply(await settledState(context))
}

/** Follows a desired state that was taken back; a server that went with it is removed. */
export async function followBack(context: Context): Promise<void> {
  const state = await desiredState(context)
  if (state) await context.drivers.servers.apply(state)
  else await context.drivers.servers.remove(context.input.server, Number.MAX_SAFE_INTEGER)
}

async function forget(tx: Transaction, { scope, input }: Context): Promise<void> {
  // Who is applying a firewall to it right now goes first, and then what that brought is taken out too.
  await lockProject(tx, scope, 'share')
  await holdServers(tx, scope, [input.server], 'update')
  // Backups are bound to their server; snapshots stay (spec: Image, type).
  await discardImages(tx, scope, await lockBackups(tx, scope, input.server))
  await unassignAll(tx, scope, input.server)
  await releasePrimaryIpsOf(tx, scope, input.server)
  await forgetServer(tx, scope, input.server)
  await deleteServer(tx, scope, input.server)
}

export const createServer = defineAction<Input & { readonly starts: boolean }>({
  family: 'servers',
  command: 'create_server',
  steps: [
    {
      name: 'create',
      run: follow,
      // It is made without power: its packet filter comes before its first breath.
      commit: (tx, { scope, input: { server, starts } }) =>
        starts
          ? wantPower(tx, scope, server, { power: 'on', manner: 'hard', status: 'starting' })
          : confirmPower(tx, scope, server, 'off'),
      undo: followBack,
    },
  ],
  revert: forget,
})

function powerAction(command: string) {
  return defineAction<Input>({
    family: 'servers',
    command,
    steps: [
      {
        name: 'power',
        run: follow,
        commit: async (tx, { scope, input }) => {
          const server = await findServer(tx.query, scope, input.server)
          if (server) await confirmPower(tx, scope, server.id, server.power)
        },
        undo: followBack,
      },
    ],
    revert: (tx, { scope, input }) => revertPower(tx, scope, input.server),
  })
}

export const startServer = powerAction('start_server')
export const stopServer = powerAction('stop_server')
export const shutdownServer = powerAction('shutdown_server')
export const rebootServer = powerAction('reboot_server')
export const resetServer = powerAction('reset_server')

export const destroyServer = defineAction<Input>({
  family: 'servers',
  command: 'delete_server',
  steps: [
    {
      name: 'remove',
      run: async (context) => {
        const { query, scope, input } = context
        const server = await findServer(query, scope, input.server)
        // A worker that comes too late may find that the deletion was taken back: then the server stays.
        if (server?.status === 'deleting') await context.drivers.servers.remove(server.id, server.generation)
      },
      commit: forget,
      // The removal may have happened although it failed: then the server comes back behind its packet filter.
      undo: async (context) => {
        await enforceFilter(context, context.input.server)
        await enforceRouting(context, context.input.server)
        await followBack(context)
      },
    },
  ],
  revert: async (tx, { scope, input }) => {
    await revertPower(tx, scope, input.server)
    await renewRouting(tx, scope, [input.server])
    await renewFilters(tx, scope, [input.server])
  },
})

export const changeServerProtection = defineAction<Input>({
  family: 'servers',
  command: 'change_protection',
  steps: [],
})

export const serverActions = [
  createServer,
  startServer,
  stopServer,
  shutdownServer,
  rebootServer,
  resetServer,
  destroyServer,
  changeServerProtection,
]
