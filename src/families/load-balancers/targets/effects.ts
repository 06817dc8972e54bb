/** What happens to targets when servers, their labels and their addresses change. */
import { awaitedBy, startActions, toStart } from '../../../kernel/actions/store.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { placesOf } from '../../networks/reads.ts'
import { updateTargets } from '../actions.ts'
import { state } from '../desired.ts'
import { placesOfBalancers } from '../places/store.ts'
import { loadBalancers } from '../store.ts'
import { deleteTargets, dropMatches, matchesOfServer, putMatches, selectors, targetsNaming } from './store.ts'

/**
 * Lets the data plane follow what changed around some Load Balancers, unless an action is about to do so anyway: a data
 * plane that stands still does not take the places of all other actions. An action that begins at this very moment may
 * still see what was desired before; the reconciler makes that good.
 */
export async function follow(tx: Transaction, scope: ProjectScope, balancerIds: readonly number[]): Promise<void> {
  if (balancerIds.length === 0) return
  const ids = [...new Set(balancerIds)].sort((a, b) => a - b)
  await state.renew(tx, scope, ids)
  const awaited = await awaitedBy(tx.query, scope, updateTargets)
  const starts = ids
    .filter((id) => !awaited.has(id))
    .map((balancer) =>
      toStart({ definition: updateTargets, input: { balancer }, resources: [loadBalancers.ref(balancer)] }),
    )
  // They wait for no other actions: a driver keeps the newest state, whichever is handed over last.
  await startActions(tx, scope, starts)
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
  const found = matching.filter(({ id }) => !before.has(id))
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

/** Follows a server that has other addresses than before. One that left the network of a Load Balancer is no target there. */
export async function followServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const named = await targetsNaming(tx.query, scope, [serverId])
  const matches = await matchesOfServer(tx.query, scope, serverId)
  const balancers = [...named.map(({ balancerId }) => balancerId), ...matches.values()]
  if (balancers.length === 0) return
  const inside = new Set((await placesOf(tx.query, scope, [serverId])).map(({ networkId }) => networkId))
  const places = new Map(
    (await placesOfBalancers(tx.query, scope, balancers)).map((place) => [place.balancerId, place]),
  )
  const outside = named.filter(({ balancerId, usesPrivateIp }) => {
    const place = places.get(balancerId)
    return usesPrivateIp && (!place || !inside.has(place.networkId))
  })
  await deleteTargets(tx, scope, outside)
  await follow(tx, scope, balancers)
}
