/** Primary IPs of what is made with them, and keeps them for as long as it lives: servers and Load Balancers. */
import { refuseLocked } from '../../../kernel/actions/store.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { DefaultNames } from '../../../protocols/net/default-names.ts'
import { type ReverseNameChange, withReverseName } from '../../addresses/domain.ts'
import { checkFit, type IpType, ipTypes, type PrimaryIp } from '../domain.ts'
import { deletePrimaryIp, primaryIps, primaryIpsOfBalancers, setReverseNames } from '../store.ts'

/** Those of some Primary IPs that the Project has, which nobody else changes meanwhile. Errors: `locked`. */
export async function holdForOwner(
  tx: Transaction,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PrimaryIp>> {
  await primaryIps.hold(tx, scope, ids, 'update')
  // One that is just being unassigned would be assigned again if that failed.
  for (const id of ids) await refuseLocked(tx.query, scope, primaryIps.ref(id))
  return new Map((await primaryIps.byIds(tx.query, scope, ids)).map((ip) => [ip.id, ip]))
}

/**
 * Gives a new Load Balancer the Primary IPs that it asks for, by type. Errors: `not_found`, `locked`,
 * `primary_ip_version_mismatch`, `primary_ip_assigned`, `primary_ip_location_mismatch`.
 */
export async function giveToBalancer(
  tx: Transaction,
  scope: ProjectScope,
  balancer: { readonly id: number; readonly locationId: number },
  asked: Readonly<Partial<Record<IpType, number>>>,
): Promise<Partial<Record<IpType, PrimaryIp>>> {
  const wanted = ipTypes.flatMap((type) => (asked[type] === undefined ? [] : [{ type, id: asked[type] }]))
  const ids = wanted.map(({ id }) => id)
  const found = await holdForOwner(tx, scope, ids)
  const given: Partial<Record<IpType, PrimaryIp>> = {}
  for (const { type, id } of wanted) {
    const primaryIp = found.get(id)
    if (!primaryIp) throw notFound('primary IP', id)
    checkFit(primaryIp, { type, locationId: balancer.locationId, elsewhere: 'primary_ip_location_mismatch' })
    await primaryIps.set(tx, scope, id, { load_balancer_id: balancer.id })
    given[type] = primaryIp
  }
  return given
}

/** Parts a Load Balancer that goes away from its Primary IPs: it takes those with `auto_delete` along if it was made. */
export async function takeFromBalancer(
  tx: Transaction,
  scope: ProjectScope,
  balancerId: number,
  wasMade: boolean,
): Promise<void> {
  for (const primaryIp of await lockThoseOf(tx, scope, balancerId)) {
    if (primaryIp.autoDelete && wasMade) await deletePrimaryIp(tx, scope, primaryIp)
    else await primaryIps.set(tx, scope, primaryIp.id, { load_balancer_id: null })
  }
}

/** Gives an address of a Primary IP of a Load Balancer a reverse name. Errors: `invalid_input`. */
export async function renameForBalancer(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  change: ReverseNameChange,
  defaults: DefaultNames,
): Promise<void> {
  const primaryIp = await primaryIps.lock(tx, scope, id)
  await setReverseNames(tx, scope, primaryIp, withReverseName(primaryIp, change, { defaults, nowMs: tx.now }))
}

/** The Primary IPs of a Load Balancer, which nobody else changes until the transaction ends. */
async function lockThoseOf(tx: Transaction, scope: ProjectScope, balancerId: number): Promise<PrimaryIp[]> {
  const ids = (await primaryIpsOfBalancers(tx.query, scope, [balancerId])).map(({ id }) => id)
  await primaryIps.hold(tx, scope, ids, 'update')
  return primaryIpsOfBalancers(tx.query, scope, [balancerId])
}
