/** Firewalls through the API. */

import { lockProject } from '../../kernel/access/projects.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, startActions } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import { beforeWrite, changedMeanwhile, optimistically } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { applyFirewall, setFirewallRules, startFilterChange } from './actions.ts'
import { firewallChanges } from './changes.ts'
import type { firewallEndpoints } from './contract.ts'
import { filters } from './desired.ts'
import { type GivenRule, parseRules, type Rule, sameRules } from './domain.ts'
import { type Application, applicationsOf, serversUnder } from './membership.ts'
import {
  deleteFirewall,
  getFirewall,
  getFirewallInUse,
  insertFirewall,
  limitedFirewalls,
  listFirewalls,
  lockFirewall,
  replaceRules,
  updateFirewall,
} from './store.ts'
import { type ApplyCodes, applyTargets, modeFor, parseTargets, removeTargets } from './targets.ts'
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

/** Until 10 Dec 2025 host bits of networks were dropped in silence. */
function rulesOf(given: readonly GivenRule[], nowMs: number): readonly Rule[] {
  const result = parseRules(given, inEffect(firewallChanges.cidr_host_bits_refused, nowMs) ? 'refuse' : 'drop')
  if (!result.ok) throw invalidInput(result.problems)
  return result.rules
}

/** Most entries of `applied_to` that a refusal names. */
const maxNamed = 20

/** Clients hold the message against this very text, so that what uses the firewall is in the details. */
function stillInUse(id: number, used: readonly Application[]): ApiError {
  const details = { applied_to: used.slice(0, maxNamed).map(targetToWire) }
  return new ApiError('resource_in_use', `firewall with ID ${id} is still in use`, { details })
}

function rulesSet(id: number): ActionStart {
  return { definition: setFirewallRules, input: {}, resources: [{ type: 'firewall', id }] }
}

/** One handler for each endpoint. */
export function firewallRoutes({ db, clock, faults, limits }: Platform): Handlers<typeof firewallEndpoints> {
  /** Changes a firewall that nobody else can change meanwhile, and starts what follows from it. */
  const change = async (
    scope: ProjectScope,
    id: number,
    mode: 'share' | 'update',
    work: (tx: Transaction, rules: readonly Rule[]) => Promise<ActionStart[]>,
  ) => {
    const actions = await db.transact(async (tx) => {
      await lockProject(tx, scope, mode)
      const firewall = await lockFirewall(tx, scope, id)
      return startActions(tx, scope, await work(tx, firewall.rules))
    })
    return { actions: actions.map(actionToWire) }
  }

  return {
    async list({ scope, query }) {
      const { firewalls, pagination } = await listFirewalls(db.query, scope, query)
      return { firewalls: await firewallsToWire(db.query, scope, firewalls), meta: { pagination } }
    },

    async create({ scope, body: { name, labels = {}, rules: given, apply_to: applyTo } }) {
      const rules = rulesOf(given ?? [], clock.now())
      const targets = parseTargets(applyTo ?? [], 'apply_to')
      return db.transact(async (tx) => {
        await enforceLimit(tx, scope, limitedFirewalls, limits)
        if (targets.length > 0) await lockProject(tx, scope, modeFor(targets))
        const firewall = await insertFirewall(tx, scope, { name, labels, rules })
        const applied = await applyTargets(tx, scope, firewall.id, targets, onCreate)
        const actions = await startActions(tx, scope, [rulesSet(firewall.id), ...applied])
        const wire = targets.length > 0 ? await firewallToWire(tx.query, scope, firewall) : toWire(firewall)
        return { firewall: wire, actions: actions.map(actionToWire) }
      })
    },

    async get({ scope, params }) {
      const { firewall, isApplied } = await getFirewallInUse(db.query, scope, params.id)
      return { firewall: isApplied ? await firewallToWire(db.query, scope, firewall) : toWire(firewall) }
    },

    async update({ scope, params, body }) {
      const firewall = await optimistically(async () => {
        const before = await getFirewall(db.query, scope, params.id)
        await beforeWrite(faults, 'firewall')
        const { name = before.name, labels = before.labels } = body
        return db.transact(async (tx) => {
          const after = await updateFirewall(tx, scope, before, { name, labels })
          return after === changedMeanwhile ? after : firewallToWire(tx.query, scope, after)
        })
      })
      return { firewall }
    },

    remove: ({ scope, params: { id } }) =>
      db.transact(async (tx) => {
        const firewall = await lockFirewall(tx, scope, id)
        const used = await applicationsOf(tx.query, scope, [id])
        if (used.length > 0) throw stillInUse(id, used)
        await deleteFirewall(tx, scope, firewall)
      }),

    async setRules({ scope, params: { id }, body }) {
      const rules = rulesOf(body.rules, clock.now())
      // No server may come under the firewall, or vanish from under it, between the look at them and the commit: it would
      // be left with the rules of before, or its filter without it.
      return change(scope, id, 'update', async (tx, before) => {
        if (sameRules(rules, before)) return [rulesSet(id)]
        await replaceRules(tx, scope, id, rules)
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
