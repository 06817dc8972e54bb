/** What happens to firewalls asynchronously: the packet filter of one server follows what is wanted of it. */
import { type ActionInput, defineAction, defineStep, type StepContext } from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { toFilter } from './domain.ts'
import { confirmFilter, deleteApplication, filterSource, renewFilters } from './membership.ts'

interface Input extends ActionInput {
  readonly server: number
  /** The entry of `applied_to` that this action brings in, taken out again when it fails; 0 for none. */
  readonly application: number
}

/** Hands the driver a server's whole filter. Returns its generation; undefined when the server is gone. */
export async function enforceFilter(
  { query, scope, drivers }: Pick<StepContext<ActionInput>, 'query' | 'scope' | 'drivers'>,
  serverId: number,
): Promise<number | undefined> {
  const source = await filterSource(query, scope, serverId)
  if (!source) return undefined
  await drivers.firewalls.apply({ serverId, generation: source.generation, ...toFilter(source.firewalls) })
  return source.generation
}

async function confirm(
  tx: Transaction,
  { scope, input }: StepContext<Input>,
  generation: number | undefined,
): Promise<void> {
  if (generation !== undefined) await confirmFilter(tx, scope, input.server, generation)
}

const enforce = defineStep<Input, number | undefined, number | undefined>({
  name: 'filter',
  run: (context) => enforceFilter(context, context.input.server),
  commit: confirm,
  undo: (context) => enforceFilter(context, context.input.server),
  undone: confirm,
})

export const applyFirewall = defineAction<Input>({
  family: 'firewalls',
  command: 'apply_firewall',
  steps: [enforce],
  revert: async (tx, { scope, input }) => {
    if (input.application === 0) return
    await deleteApplication(tx, scope, input.application)
    await renewFilters(tx, scope, [input.server])
  },
})

export const removeFirewall = defineAction<Input>({ family: 'firewalls', command: 'remove_firewall', steps: [enforce] })

/** For selectors that match nothing yet: there is no server whose filter would have to follow. */
const applySelector = defineAction<ActionInput>({ family: 'firewall_selectors', command: 'apply_firewall', steps: [] })
const removeSelector = defineAction<ActionInput>({
  family: 'firewall_selectors',
  command: 'remove_firewall',
  steps: [],
})

export const setFirewallRules = defineAction<ActionInput>({
  family: 'firewalls',
  command: 'set_firewall_rules',
  steps: [],
})

export const firewallActions = [applyFirewall, removeFirewall, applySelector, removeSelector, setFirewallRules]

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
  const { firewallId, serverId, selectorId, application = 0 } = change
  const server = { type: 'server', id: serverId }
  const selector = selectorId === undefined ? [] : [{ type: 'label_selector', id: selectorId }]
  return toStart({
    definition,
    input: { server: serverId, application },
    resources: [server, { type: 'firewall', id: firewallId }, ...selector],
    serial: [server],
  })
}

/** The action that tells of a selector without servers. */
export function startSelectorChange(
  change: 'applied' | 'removed',
  firewallId: number,
  selectorId: number,
): ActionStart {
  return {
    definition: change === 'applied' ? applySelector : removeSelector,
    input: {},
    resources: [
      { type: 'label_selector', id: selectorId },
      { type: 'firewall', id: firewallId },
    ],
  }
}
