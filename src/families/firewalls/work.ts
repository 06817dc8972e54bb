/** Firewalls are made, changed, applied and deleted on request. */
import { lockProject } from '../../kernel/access/projects.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, recordOf, startActions } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Calls } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { adding, type OnOne, removing, replyOf } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { applyFirewall, setFirewallRules, startFilterChange } from './actions.ts'
import { type Application, modeFor, parseTargets } from './applications/domain.ts'
import { oldestApplications, serversUnder } from './applications/store.ts'
import { type ApplyCodes, applyTargets, removeTargets } from './applications/work.ts'
import { firewallChanges } from './changes.ts'
import type { firewallEndpoints } from './contract.ts'
import { filters } from './desired.ts'
import { type GivenRule, parseRules, type Rule, sameRules } from './domain.ts'
import { firewalls } from './store.ts'
import { firewallToWire, targetToWire, toWire } from './view.ts'

type Call = Calls<typeof firewallEndpoints>

/** Makes a firewall and applies it. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Call['create']) {
  const { name, labels = {}, rules: given, apply_to: applyTo } = body
  const rules = rulesOf(given ?? [], platform.clock.now())
  const targets = parseTargets(applyTo ?? [], 'apply_to')
  return adding(platform, firewalls, scope, async (tx) => {
    if (targets.length > 0) await lockProject(tx, scope, modeFor(targets))
    const firewall = await firewalls.insert(tx, scope, { name, labels, rules: JSON.stringify(rules) })
    const applied = await applyTargets(tx, scope, firewall.id, targets, onCreate)
    const actions = (await startActions(tx, scope, [rulesSet(firewall.id), ...applied])).map(actionToWire)
    if (targets.length === 0) return { added: firewall, reply: { firewall: toWire(firewall), actions } }
    const reply = await replyOf(platform.db, tx, async (query) => ({
      firewall: await firewallToWire(query, scope, firewall),
      actions,
    }))
    return { added: firewall, reply }
  })
}

/** Deletes a firewall. Errors: `resource_in_use`. */
export const remove = (platform: Platform, call: Call['remove']) =>
  removing(platform, firewalls, call, async (tx, { id }) => {
    const used = await oldestApplications(tx.query, call.scope, id, maxNamed)
    if (used.length > 0) throw stillInUse(id, used)
  })

/** Gives a firewall other rules, which the filters of its servers follow. Errors: `invalid_input`. */
export async function setRules(platform: Platform, call: Call['setRules']) {
  const { scope } = call
  const rules = rulesOf(call.body.rules, platform.clock.now())
  // The Project is locked, so that the firewall is neither applied to a server nor removed from one before the commit:
  // the filter of that server would keep the old rules.
  return change(platform, call, 'update', async (tx, id, before) => {
    if (sameRules(rules, before)) return [rulesSet(id)]
    await firewalls.set(tx, scope, id, { rules: JSON.stringify(rules) })
    const servers = await serversUnder(tx.query, scope, id)
    await filters.renew(tx, scope, servers)
    const follow = servers.map((serverId) => startFilterChange(applyFirewall, { firewallId: id, serverId }))
    return [rulesSet(id), ...follow]
  })
}

/** Applies a firewall to servers and label selectors. Errors: those of `applyTargets`. */
export async function apply(platform: Platform, call: Call['applyToResources']) {
  const targets = parseTargets(call.body.apply_to, 'apply_to')
  return change(platform, call, modeFor(targets), (tx, id) => applyTargets(tx, call.scope, id, targets, onApply))
}

/** Removes a firewall from servers and label selectors. Errors: those of `removeTargets`. */
export async function unapply(platform: Platform, call: Call['removeFromResources']) {
  const targets = parseTargets(call.body.remove_from, 'remove_from')
  return change(platform, call, modeFor(targets), (tx, id) => removeTargets(tx, call.scope, id, targets))
}

/** Changes a firewall that nobody else can change meanwhile, and starts what follows from it. */
async function change(
  { db }: Platform,
  { scope, params: { id } }: OnOne,
  mode: 'share' | 'update',
  work: (tx: Transaction, id: number, rules: readonly Rule[]) => Promise<ActionStart[]>,
) {
  const actions = await db.transact(async (tx) => {
    tx.expectIds()
    await lockProject(tx, scope, mode)
    const firewall = await firewalls.lock(tx, scope, id)
    return startActions(tx, scope, await work(tx, id, firewall.rules))
  })
  return { actions: actions.map(actionToWire) }
}

const onCreate: ApplyCodes = {
  again: (target) =>
    'serverId' in target
      ? new ApiError('server_already_added', `server with ID '${target.serverId}' was added more than once`)
      : invalidInput([{ field: 'apply_to', message: 'the same label selector was added more than once' }]),
  missingStatus: 422,
}

const onApply: ApplyCodes = {
  again: (target) =>
    new ApiError(
      'firewall_already_applied',
      'serverId' in target
        ? `the firewall is already applied to server with ID '${target.serverId}'`
        : 'the firewall is already applied to this label selector',
    ),
  missingStatus: 404,
}

/** Until 10 Dec 2025 the API dropped host bits of networks without an error. */
function rulesOf(given: readonly GivenRule[], nowMs: number): readonly Rule[] {
  const result = parseRules(given, inEffect(firewallChanges.cidr_host_bits_refused, nowMs) ? 'refuse' : 'drop')
  if (!result.ok) throw invalidInput(result.problems)
  return result.rules
}

/** A refusal names at most so many entries of `applied_to`. */
const maxNamed = 20

/** Clients compare the message with exactly this text, so the details say what uses the firewall. */
function stillInUse(id: number, used: readonly Application[]): ApiError {
  const details = { applied_to: used.map(targetToWire) }
  return new ApiError('resource_in_use', `firewall with ID ${id} is still in use`, { details })
}

function rulesSet(id: number): ActionStart {
  return recordOf(setFirewallRules, firewalls.ref(id))
}
