/** What happens to Floating IPs asynchronously: the sets of the servers concerned follow what is wanted. */
import { type ActionInput, defineAction, defineStep, type StepContext } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { holdServers } from '../servers/reads.ts'
import { confirmRouting, floatingIpsOfServers, renewRouting, routingGeneration, wantServer } from './store.ts'

interface Input extends ActionInput {
  readonly floatingIp: number
  /** The servers that it leaves and reaches; 0 for none. */
  readonly from: number
  readonly to: number
}

type RoutingContext = Pick<StepContext<ActionInput>, 'query' | 'scope' | 'drivers'>

/** Hands the driver all Floating IPs of a server. Returns the generation of the set; undefined when the server is gone. */
export async function enforceRouting(
  { query, scope, drivers }: RoutingContext,
  serverId: number,
): Promise<number | undefined> {
  // The generation first: a set newer than it will be handed over again, one older than it never would.
  const generation = await routingGeneration(query, scope, serverId)
  if (generation === undefined) return undefined
  const ips = (await floatingIpsOfServers(query, scope, [serverId])).map((floatingIp) => floatingIp.ip)
  await drivers.routing.apply({ serverId, generation, ips })
  return generation
}

/** Which generation of which server's set is in force. */
type Enforced = ReadonlyMap<number, number>

/** It leads nowhere before it leads to its new server: no moment with two. */
async function reroute(context: StepContext<Input>): Promise<Enforced> {
  const enforced = new Map<number, number>()
  for (const serverId of [context.input.from, context.input.to]) {
    const generation = serverId === 0 ? undefined : await enforceRouting(context, serverId)
    if (generation !== undefined) enforced.set(serverId, generation)
  }
  return enforced
}

async function confirm(tx: Transaction, { scope }: StepContext<Input>, enforced: Enforced): Promise<void> {
  // Sets are locked in the order of their servers, whichever came first.
  for (const [serverId, generation] of [...enforced].sort(([a], [b]) => a - b)) {
    await confirmRouting(tx, scope, serverId, generation)
  }
}

const route = defineStep<Input, Enforced, Enforced>({
  name: 'route',
  run: reroute,
  commit: confirm,
  undo: reroute,
  undone: confirm,
})

async function moveBack(tx: Transaction, { scope, input }: StepContext<Input>): Promise<void> {
  const known = await holdServers(
    tx,
    scope,
    [input.from, input.to].filter((id) => id !== 0),
  )
  await wantServer(tx, scope, input.floatingIp, known.has(input.from) ? input.from : null)
  await renewRouting(tx, scope, [...known])
}

function routingAction(command: string) {
  return defineAction<Input>({
    family: 'floating_ips',
    command,
    steps: [route],
    revert: moveBack,
  })
}

export const createFloatingIp = routingAction('create_floating_ip')
export const assignFloatingIp = routingAction('assign_floating_ip')
export const unassignFloatingIp = routingAction('unassign_floating_ip')

export const changeFloatingIpDnsPtr = defineAction<ActionInput>({
  family: 'floating_ips',
  command: 'change_dns_ptr',
  steps: [],
})

export const changeFloatingIpProtection = defineAction<ActionInput>({
  family: 'floating_ips',
  command: 'change_protection',
  steps: [],
})

export const floatingIpActions = [
  createFloatingIp,
  assignFloatingIp,
  unassignFloatingIp,
  changeFloatingIpDnsPtr,
  changeFloatingIpProtection,
]

/** The action that carries a Floating IP from one server, or none, to another, or none. */
export function startMove(
  definition: typeof assignFloatingIp,
  { id, from, to }: { id: number; from: number | null; to: number | null },
): ActionStart {
  const floatingIp = { type: 'floating_ip', id }
  const servers = [from, to].flatMap((serverId) => (serverId === null ? [] : [{ type: 'server', id: serverId }]))
  const named = to === null ? servers : [{ type: 'server', id: to }]
  return toStart({
    definition,
    input: { floatingIp: id, from: from ?? 0, to: to ?? 0 },
    resources: [...named, floatingIp],
    locks: [floatingIp],
    serial: servers,
  })
}
