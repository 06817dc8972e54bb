/** What the infrastructure is to do for a server: all that is desired of it is handed to the driver at once. */
import { DriverError } from '../../kernel/actions/define.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { type Desired, defineDesired, recallAll, type Targets, type World } from '../../kernel/resource/desired.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { attachments } from './attachments.ts'
import type { ServerState } from './driver.ts'
import { servers, serversByIds } from './store.ts'

export const state: Desired = defineDesired({
  table: 'server_state',
  title: 'servers',
  target: 'server',
  seenAs: 'servers',
  async handOver(world, id, generation) {
    const wanted = await settled(world, id, generation)
    if (wanted) await world.drivers.servers.apply(wanted, world.report)
    else await world.drivers.servers.remove(id, generation, null)
    return { isGone: wanted === undefined }
  },
})

/**
 * The whole desired state of a server that is there, ready for a driver. A driver may have lost the server and its packet
 * filter with it: one that is to have power stands behind its filter by then, and gets no power if that fails. Undefined
 * when the database has no such server.
 */
async function settled(world: World, id: number, generation: number): Promise<ServerState | undefined> {
  const { query, scope } = world
  const server = await servers.find(query, scope, id)
  if (!server) return undefined
  const parts = await Promise.all(attachments.map((attachment) => attachment.state?.(query, scope, id)))
  if (server.power === 'on') {
    for (const { desired, comesBeforePower } of attachments) if (comesBeforePower) await desired?.enforce(world, id)
  }
  return {
    ipv4: null,
    ipv6: null,
    placementGroup: null,
    id,
    generation,
    location: server.locationId,
    name: server.name,
    cores: server.cores,
    memoryMb: server.memoryMb,
    diskGb: server.primaryDiskSize,
    image: server.imageId,
    installation: server.installation,
    iso: server.isoId,
    userData: server.userData,
    sshKeys: server.sshKeys,
    rootPasswordHash: server.rootPasswordHash,
    passwordReset: server.passwordReset,
    rescue: server.rescue && {
      sshKeys: server.rescue.sshKeys,
      rootPasswordHash: server.rescue.rootPasswordHash,
    },
    power: server.power,
    manner: server.manner,
    cycle: server.cycle,
    ...Object.assign({}, ...parts),
  }
}

/** The desired state of a server for a driver that needs it to do something else. Errors: `DriverError` when it is gone. */
export async function settledState(world: World, id: number): Promise<ServerState> {
  const generation = await state.generation(world.query, world.scope, id)
  const wanted = generation === undefined ? undefined : await settled(world, id, generation)
  if (!wanted) throw new DriverError('the server no longer exists', { transient: false })
  return wanted
}

/** Whether a server is in any network, public or private. */
export async function isConnected(query: Queries, scope: ProjectScope, id: number): Promise<boolean> {
  for (const { connects } of attachments) if (await connects?.(query, scope, id)) return true
  return false
}

/** Tells whoever uses the addresses of a server that it has others now. */
export async function followAddresses(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  for (const { readdress } of attachments) await readdress?.(tx, scope, id)
}

/** Whether something that hangs on a server needs its public IPv4 address. */
export async function needsIpv4(query: Queries, scope: ProjectScope, id: number): Promise<boolean> {
  for (const attachment of attachments) if (await attachment.needsIpv4?.(query, scope, id)) return true
  return false
}

/** The server to which the public addresses of an owner lead (see `Attachment.serverOf`). */
export async function serverOf(query: Queries, scope: ProjectScope, owner: string): Promise<number | undefined> {
  for (const attachment of attachments) {
    const id = await attachment.serverOf?.(query, scope, owner)
    if (id !== undefined) return id
  }
  return undefined
}

/**
 * Hands the drivers once more what is in force for some servers, unless they see what other and earlier processes have handed
 * over. What an action still has to bring about is left to it.
 */
export async function recall(world: World, ids: readonly number[]): Promise<void> {
  const { query, scope, drivers } = world
  const forgotten: number[] = []
  for (const { id, locationId } of await serversByIds(query, scope, ids)) {
    if (!(await drivers.servers.remembers(locationId))) forgotten.push(id)
  }
  if (forgotten.length === 0) return
  const hanging = await Promise.all(
    attachments.map(async ({ desired, restsOn }) => ({ desired, below: await restsOn?.(query, scope, forgotten) })),
  )
  const targetsOf = (id: number) =>
    hanging.flatMap(({ desired, below }): Targets[] => [
      ...(below ? [below(id)] : []),
      ...(desired ? [[desired, [id]] as const] : []),
    ])
  await recallAll(
    world,
    forgotten.flatMap((id) => [[state, [id]], ...targetsOf(id)]),
  )
}
