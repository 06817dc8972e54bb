/** What happens to Primary IPs asynchronously: the server gets the addresses that it is to have. */
import { type ActionInput, defineAction, defineRecord, type StepContext } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { followAddresses, serverState } from '../servers/effects.ts'
import { primaryIps } from './store.ts'

interface Input extends ActionInput {
  readonly primaryIp: number
  readonly server: number
}

/** `before` says whose address it was: a failed action makes it so again. */
function addressAction(command: string, before: (input: Input) => number | null) {
  return defineAction<Input>({
    family: 'primary_ips',
    command,
    steps: [
      desiredStep(serverState, {
        name: 'address',
        targets: ({ server }: Input) => [server],
        missing: 'the server no longer exists',
        tell: (tx, { scope, input }) => followAddresses(tx, scope, input.server),
      }),
    ],
    async revert(tx: Transaction, { scope, input }: StepContext<Input>) {
      await serverState.renew(tx, scope, [input.server])
      await primaryIps.set(tx, scope, input.primaryIp, { server_id: before(input) })
      await followAddresses(tx, scope, input.server)
    },
  })
}

export const assignPrimaryIp = addressAction('assign_primary_ip', () => null)
export const unassignPrimaryIp = addressAction('unassign_primary_ip', ({ server }) => server)
export const changePrimaryIpDnsPtr = defineRecord('primary_ips', 'change_dns_ptr')
export const changePrimaryIpProtection = defineRecord('primary_ips', 'change_protection')

export const primaryIpActions = [assignPrimaryIp, unassignPrimaryIp, changePrimaryIpDnsPtr, changePrimaryIpProtection]

/** The action that gives a Primary IP to a server or takes it away; the power of the server stays as it is meanwhile. */
export function startAddressing(
  definition: typeof assignPrimaryIp,
  input: { readonly primaryIp: number; readonly server: number },
): ActionStart {
  const [server, primaryIp] = [{ type: 'server', id: input.server }, primaryIps.ref(input.primaryIp)]
  return toStart({
    definition,
    input: { ...input },
    resources: [server, primaryIp],
    locks: [server, primaryIp],
    serial: [server],
  })
}
