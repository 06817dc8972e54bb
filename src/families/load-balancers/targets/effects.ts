/** What happens to targets when servers, their labels and their addresses change. */
import { type ActionStart, awaitedBy, startActions, toStart } from '../../../kernel/actions/store.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { placesOf } from '../../networks/reads.ts'
import { updateTargets } from '../actions.ts'
import { state } from '../desired.ts'
import { placesOfBalancers } from '../places/store.ts'
import { loadBalancers } from '../store.ts'
import { goesPrivate, type Target } from './domain.ts'
import {
  deleteTargets,
  dropMatches,
  holdTargets,
  matchesOfServer,
  putMatches,
  selectors,
  targetsNaming,
  targetsOfServer,
} from './store.ts'

/**
 * Lets the data plane follow what changed around some Load Balancers, unless an action is about to do so anyway: of one
 * Load Balancer, one action is under way and one waits, so that a data plane that stands still does not take the places
 * of all other actions. An action that begins at this very moment may still see what was desired before; the reconciler
 * makes that good.
 */
export async function follow(tx: Transaction, scope: ProjectScope, balancerIds: readonly number[]): Promise<void> {
  await startActions(tx, scope, await toFollow(tx, scope, balancerIds))
}

/** As `follow`, for a transaction that has more to do: it starts the actions at its end. */
export async function toFollow(
  tx: Transaction,
  scope: ProjectScope,
  balancerIds: readonly number[],
): Promise<ActionStart[]> {
  if (balancerIds.length === 0) return []
  const ids = [...new Set(balancerIds)].sort((a, b) => a - b)
  await state.renew(tx, scope, ids)
  const awaited = await awaitedBy(tx.query, scope, updateTargets)
  // They wait for each other alone: a driver keeps the newest state, whichever action hands it over.
  return ids
    .filter((id) => !awaited.has(id))
    .map((balancer) =>
      toStart({
        definition: updateTargets,
        input: { balancer },
        resources: [loadBalancers.ref(balancer)],
        serial: [{ type: 'load_balancer_state', id: balancer }],
      }),
    )
}

/**
 * Updates which selectors match a server that is new or has new labels. The transaction has locked the Project and then
 * the server.
 */
export async function rematchServer(
  tx: Transaction,
  scope: ProjectScope,
  server: { readonly id: number; readonly labels: Labels },
): Promise<void> {
  const matching = await selectors.matching(tx.query, scope, server.labels)
  const before = await matchesOfServer(tx.query, scope, server.id)
  const after = new Set(matching.map(({ id }) => id))
  const lost = [...before].filter(([targetId]) => !after.has(targetId))
  const added = matching.filter(({ id }) => !before.has(id))
  const there = await holdTargets(
    tx,
    scope,
    added.map(({ id }) => id),
  )
  const found = added.filter(({ id }) => there.has(id))
  for (const { id, load_balancer_id: balancerId } of found) {
    await putMatches(tx, scope, { targetId: id, balancerId }, [server.id])
  }
  await dropMatches(
    tx,
    scope,
    server.id,
    lost.map(([targetId]) => targetId),
  )
  await follow(tx, scope, [...lost.map(([, balancerId]) => balancerId), ...found.map((row) => row.load_balancer_id)])
}

/** Removes a server that goes away from all targets. */
export async function forgetServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const named = await targetsNaming(tx.query, scope, [serverId])
  const matches = await matchesOfServer(tx.query, scope, serverId)
  await dropMatches(tx, scope, serverId, [...matches.keys()])
  await deleteTargets(tx, scope, named)
  await follow(tx, scope, [...named.map(({ balancerId }) => balancerId), ...matches.values()])
}

/** Follows a server that has other public addresses than before. */
export async function followServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const targets = await targetsOfServer(tx.query, scope, serverId)
  await followAround(
    tx,
    scope,
    targets.filter((target) => !goesPrivate(target)),
  )
}

/**
 * Follows a server that joined a network, left it, or has other addresses there. Having left that of a Load Balancer, it is
 * no target there.
 */
export async function followMember(
  tx: Transaction,
  scope: ProjectScope,
  serverId: number,
  networkId: number,
): Promise<void> {
  const targets = (await targetsOfServer(tx.query, scope, serverId)).filter(goesPrivate)
  const balancers = targets.map(({ balancerId }) => balancerId)
  const places = await placesOfBalancers(tx.query, scope, balancers)
  const here = new Set(places.filter((place) => place.networkId === networkId).map(({ balancerId }) => balancerId))
  const concerned = targets.filter(({ balancerId }) => here.has(balancerId))
  if (concerned.length === 0) return
  const isInside = (await placesOf(tx.query, scope, [serverId])).some((place) => place.networkId === networkId)
  const named = concerned.filter((target) => target.serverId === serverId)
  await deleteTargets(tx, scope, isInside ? [] : named)
  await followAround(tx, scope, concerned)
}

const followAround = (tx: Transaction, scope: ProjectScope, targets: readonly Target[]) =>
  follow(
    tx,
    scope,
    targets.map(({ balancerId }) => balancerId),
  )
