/** What happens to networks asynchronously: the infrastructure follows what is desired of a network. */
import { type ActionInput, defineAction, defineRecord } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { state } from './desired.ts'
import { networks, settleTopology } from './store.ts'

interface Input extends ActionInput {
  readonly network: number
}

function topologyAction(command: string) {
  return defineAction<Input>({
    family: 'networks',
    command,
    steps: [
      desiredStep<Input>(state, {
        name: 'topology',
        targets: ({ network }) => [network],
        missing: 'the network no longer exists',
        done: (tx, { scope, input }) => settleTopology(tx, scope, input.network, 'kept'),
      }),
    ],
    async revert(tx, { scope, input: { network } }) {
      await settleTopology(tx, scope, network, 'reverted')
      await state.renew(tx, scope, [network])
    },
  })
}

export const addSubnet = topologyAction('add_subnet')
export const deleteSubnet = topologyAction('delete_subnet')
export const addRoute = topologyAction('add_route')
export const deleteRoute = topologyAction('delete_route')
export const changeIpRange = topologyAction('change_ip_range')
export const changeNetworkProtection = defineRecord('networks', 'change_protection')

export const networkActions = [addSubnet, deleteSubnet, addRoute, deleteRoute, changeIpRange, changeNetworkProtection]

/** The action that brings a network to its new topology; no other one changes it meanwhile. */
export function startTopology(definition: typeof addSubnet, id: number): ActionStart {
  const network = networks.ref(id)
  return toStart({ definition, input: { network: id }, resources: [network], locks: [network], serial: [network] })
}
