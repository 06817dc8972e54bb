/** What happens to firewalls asynchronously: the packet filter of one server follows its desired state. */
import { type ActionInput, defineAction, defineRecord } from '../../kernel/actions/define.ts'
import { type ActionStart, recordOf, toStart } from '../../kernel/actions/store.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { deleteApplication } from './applications/store.ts'
import { filters } from './desired.ts'

interface Input extends ActionInput {
  readonly server: number
  /** The entry of `applied_to` that this action brings in, taken out again when it fails. */
  readonly application: number | null
}

const enforce = desiredStep<Input>(filters, { name: 'filter', targets: ({ server }) => [server] })

export const applyFirewall = defineAction<Input>({
  family: 'firewalls',
  command: 'apply_firewall',
  steps: [enforce],
  revert: async (tx, { scope, input }) => {
    // Actions that an earlier version started have 0 instead of null.
    if (!input.application) return
    await deleteApplication(tx, scope, input.application)
    await filters.renew(tx, scope, [input.server])
  },
})

export const removeFirewall = defineAction<Input>({ family: 'firewalls', command: 'remove_firewall', steps: [enforce] })

export const setFirewallRules = defineRecord('firewalls', 'set_firewall_rules')

export const firewallActions = [applyFirewall, removeFirewall, setFirewallRules]

/** One server whose filter changes, and why. */
export interface FilterChange {
  readonly firewallId: number
  readonly serverId: number
  /** The label selector that causes it. */
  readonly selectorId?: number
  /** The application that a failure takes back. */
  readonly application?: number
}

/** The action that carries out a change of a server's filter. */
export function startFilterChange(definition: typeof applyFirewall, change: FilterChange): ActionStart {
  const { firewallId, serverId, selectorId, application = null } = change
  const server = { type: 'server', id: serverId }
  const selector = selectorId === undefined ? [] : [{ type: 'label_selector', id: selectorId }]
  return toStart({
    definition,
    input: { server: serverId, application },
    resources: [server, { type: 'firewall', id: firewallId }, ...selector],
    serial: [server],
  })
}

/** The action that records a change of a selector that matches no server, so that no filter has to follow. */
export function startSelectorChange(
  { family, command }: typeof applyFirewall,
  firewallId: number,
  selectorId: number,
): ActionStart {
  const selector = { type: 'label_selector', id: selectorId }
  return recordOf(defineRecord(family, command), selector, { type: 'firewall', id: firewallId })
}
