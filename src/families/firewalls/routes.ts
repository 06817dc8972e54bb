/** Firewalls through the API. */
import { lockProject } from '../../kernel/access/projects.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, recordOf, startActions } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { adding, removing, replyOf } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { applyFirewall, setFirewallRules, startFilterChange } from './actions.ts'
import { type Application, modeFor, parseTargets } from './applications/domain.ts'
import { type ApplyCodes, applyTargets, removeTargets } from './applications/effects.ts'
import { oldestApplications, serversUnder } from './applications/store.ts'
import { firewallChanges } from './changes.ts'
import type { firewallEndpoints } from './contract.ts'
import { filters } from './desired.ts'
import { type GivenRule, parseRules, type Rule, sameRules } from './domain.ts'
import { firewalls, getFirewallInUse } from './store.ts'
import { firewallsToWire, firewallToWire, targetToWire, toWire } from './view.ts'

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

/** One handler for each endpoint. */
export function firewallRoutes(platform: Platform): Handlers<typeof firewallEndpoints> {
  const { db, clock } = platform

  /** Changes a firewall that nobody else can change meanwhile, and starts what follows from it. */
  const change = async (
    scope: ProjectScope,
    id: number,
    mode: 'share' | 'update',
    work: (tx: Transaction, rules: readonly Rule[]) => Promise<ActionStart[]>,
  ) => {
    const actions = await db.transact(async (tx) => {
      await lockProject(tx, scope, mode)
      const firewall = await firewalls.lock(tx, scope, id)
      return startActions(tx, scope, await work(tx, firewall.rules))
    })
    return { actions: actions.map(actionToWire) }
  }

  return {
    ...resourceRoutes(platform, firewalls, (some, query, { scope }) => firewallsToWire(query, scope, some)),

    async create({ scope, body: { name, labels = {}, rules: given, apply_to: applyTo } }) {
      const rules = rulesOf(given ?? [], clock.now())
      const targets = parseTargets(applyTo ?? [], 'apply_to')
      return adding(platform, firewalls, scope, async (tx) => {
        if (targets.length > 0) await lockProject(tx, scope, modeFor(targets))
        const firewall = await firewalls.insert(tx, scope, { name, labels, rules: JSON.stringify(rules) })
        const applied = await applyTargets(tx, scope, firewall.id, targets, onCreate)
        const actions = (await startActions(tx, scope, [rulesSet(firewall.id), ...applied])).map(actionToWire)
        if (targets.length === 0) return { firewall: toWire(firewall), actions }
        return replyOf(db, tx, async (query) => ({ firewall: await firewallToWire(query, scope, firewall), actions }))
      })
    },

    async get({ scope, params }) {
      const { firewall, isApplied } = await getFirewallInUse(db.query, scope, params.id)
      return { firewall: isApplied ? await firewallToWire(db.query, scope, firewall) : toWire(firewall) }
    },

    remove: (call) =>
      removing(platform, firewalls, call, async (tx, { id }) => {
        const used = await oldestApplications(tx.query, call.scope, id, maxNamed)
        if (used.length > 0) throw stillInUse(id, used)
      }),

    async setRules({ scope, params: { id }, body }) {
      const rules = rulesOf(body.rules, clock.now())
      // The Project is locked, so that the firewall is neither applied to a server nor removed from one before the commit:
      // the filter of that server would keep the old rules.
      return change(scope, id, 'update', async (tx, before) => {
        if (sameRules(rules, before)) return [rulesSet(id)]
        await firewalls.set(tx, scope, id, { rules: JSON.stringify(rules) })
        const servers = await serversUnder(tx.query, scope, id)
        await filters.renew(tx, scope, servers)
        const follow = servers.map((serverId) => startFilterChange(applyFirewall, { firewallId: id, serverId }))
        return [rulesSet(id), ...follow]
      })
    },

    async applyToResources({ scope, params: { id }, body }) {
      const targets = parseTargets(body.apply_to, 'apply_to')
      return change(scope, id, modeFor(targets), (tx) => applyTargets(tx, scope, id, targets, onApply))
    },

    async removeFromResources({ scope, params: { id }, body }) {
      const targets = parseTargets(body.remove_from, 'remove_from')
      return change(scope, id, modeFor(targets), (tx) => removeTargets(tx, scope, id, targets))
    },
  }
}
