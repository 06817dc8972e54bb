/** What happens to firewalls asynchronously: the packet filter of one server follows what is wanted of it. */
import { type ActionInput, defineAction } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { filters } from './desired.ts'
import { deleteApplication } from './membership.ts'

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
    // Actions that an earlier version started say 0 where there is none.
    if (!input.application) return
    await deleteApplication(tx, scope, input.application)
    await filters.renew(tx, scope, [input.server])
  },
})

export const removeFirewall = defineAction<Input>({ family: 'firewalls', command: 'remove_firewall', steps: [enforce] })

export const setFirewallRules = defineAction<ActionInput>({
  family: 'firewalls',
  command: 'set_firewall_rules',
  steps: [],
})

export const firewallActions = [applyFirewall, removeFirewall, setFirewallRules]

/** One server whose filter changes, and why. */
export interface FilterChange {
  readonly firewallId: number
  readonly serverId: number
  /** The label selector through which it comes about. */
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

/** The action that records a change of a selector that matches no server: there is no filter that has to follow. */
export function startSelectorChange(
  { family, command }: typeof applyFirewall,
  firewallId: number,
  selectorId: number,
): ActionStart {
  return {
    definition: { family, command, steps: [] },
    input: {},
    resources: [
      { type: 'label_selector', id: selectorId },
      { type: 'firewall', id: firewallId },
    ],
  }
}
