/** What happens to Floating IPs asynchronously: the sets of the servers concerned follow what is desired. */
import { type ActionInput, defineAction, defineRecord, type StepContext } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { holdServers } from '../servers/reads.ts'
import { routing } from './desired.ts'
import { floatingIps } from './store.ts'

interface Input extends ActionInput {
  readonly floatingIp: number
  /** The servers that it leaves and reaches. */
  readonly from: number | null
  readonly to: number | null
}

const serversOf = ({ from, to }: Input) => [from, to].filter((id) => id !== null)

/**
 * The new server takes the address from the one that it leaves, so that it never leads to both, nor anywhere else. A late
 * call for the former server may take it back until a newer one refuses it, so that the new one is asked again at last.
 */
const inOrder = ({ from, to }: Input) => [to, from, ...(from === null ? [] : [to])].filter((id) => id !== null)

async function moveBack(tx: Transaction, { scope, input }: StepContext<Input>): Promise<void> {
  const known = await holdServers(tx, scope, serversOf(input))
  const server_id = input.from !== null && known.has(input.from) ? input.from : null
  await floatingIps.set(tx, scope, input.floatingIp, { server_id })
  await routing.renew(tx, scope, [...known])
}

function routingAction(command: string) {
  return defineAction<Input>({
    family: 'floating_ips',
    command,
    steps: [desiredStep(routing, { name: 'route', targets: inOrder })],
    revert: moveBack,
  })
}

export const createFloatingIp = routingAction('create_floating_ip')
export const assignFloatingIp = routingAction('assign_floating_ip')
export const unassignFloatingIp = routingAction('unassign_floating_ip')
export const changeFloatingIpDnsPtr = defineRecord('floating_ips', 'change_dns_ptr')
export const changeFloatingIpProtection = defineRecord('floating_ips', 'change_protection')

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
  const floatingIp = floatingIps.ref(id)
  const servers = serversOf({ floatingIp: id, from, to }).map((serverId) => ({ type: 'server', id: serverId }))
  return toStart({
    definition,
    input: { floatingIp: id, from, to },
    resources: [...(to === null ? servers : servers.slice(-1)), floatingIp],
    locks: [floatingIp],
    serial: servers,
  })
}
