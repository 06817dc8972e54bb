/** Load Balancers in the database. */
import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../kernel/data/db.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace } from '../../kernel/secrets/secrets.ts'
import type { ReverseName } from '../addresses/domain.ts'
import { replaceUses } from '../certificates/effects.ts'
import { giveBackAddresses } from './addresses/store.ts'
import { spelling } from './contract.ts'
import type { Addresses, LoadBalancer, Shape } from './domain.ts'
import { deletePlace, settlePlace } from './places/store.ts'
import { certificatesOf, type Service } from './services/domain.ts'
import { cookieSecrets, type LoadBalancerRow } from './tables.ts'
import { deleteTargets, settleTargets, targetsOf } from './targets/store.ts'

function fromRow(row: LoadBalancerRow): LoadBalancer {
  return {
    id: row.id,
    name: row.name,
    typeId: row.load_balancer_type,
    maxConnections: row.max_connections,
    locationId: row.location,
    algorithm: row.algorithm,
    services: JSON.parse(row.services) as Service[],
    isPublic: row.public_enabled === 1,
    former: row.former === null ? null : (JSON.parse(row.former) as Shape),
    ipv4: row.ipv4,
    ipv6: row.ipv6,
    primaryIps: { ipv4: row.ipv4_primary, ipv6: row.ipv6_primary },
    reverseNames: JSON.parse(row.dns_ptr) as ReverseName[],
    cookieSecret: row.cookie_secret,
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export const loadBalancers = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

/** Where the secret of the sticky cookies of a Load Balancer is sealed. */
export const cookiePlace = (id: number): SecretPlace => ({ ...cookieSecrets, id })

const toColumns = ({ services, algorithm, typeId, maxConnections, isPublic }: Shape) => ({
  services: JSON.stringify(services),
  algorithm,
  load_balancer_type: typeId,
  max_connections: maxConnections,
  public_enabled: isPublic ? (1 as const) : (0 as const),
})

export type NewLoadBalancer = Pick<LoadBalancer, 'name' | 'locationId' | 'labels'> & Shape

/** Adds a Load Balancer that is still to get its addresses and its secret. Errors: `uniqueness_error`. */
export function insertLoadBalancer(tx: Transaction, scope: ProjectScope, given: NewLoadBalancer) {
  return loadBalancers.insert(tx, scope, {
    name: given.name,
    location: given.locationId,
    ...toColumns(given),
    former: null,
    ipv4: '',
    ipv6: '',
    ipv4_primary: null,
    ipv6_primary: null,
    dns_ptr: '[]',
    cookie_secret: '',
    labels: given.labels,
    protect_delete: 0,
  })
}

/** Completes a new Load Balancer. Its row comes before those of addresses and keys (see `loadBalancerLocks`). */
export function setAddresses(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  { ipv4, ipv6, primaryIps, reverseNames }: Addresses,
  cookieSecret: string,
): Promise<void> {
  return loadBalancers.set(tx, scope, id, {
    ipv4,
    ipv6,
    ipv4_primary: primaryIps.ipv4,
    ipv6_primary: primaryIps.ipv6,
    dns_ptr: JSON.stringify(reverseNames),
    cookie_secret: cookieSecret,
  })
}

const shapeOf = ({ services, algorithm, typeId, maxConnections, isPublic }: Shape): Shape => {
  return { services, algorithm, typeId, maxConnections, isPublic }
}

/**
 * Makes a locked Load Balancer another one, until the change is settled. Until then it uses the certificates of both.
 * Errors: `not_found` for a certificate.
 */
export async function setShape(
  tx: Transaction,
  scope: ProjectScope,
  before: LoadBalancer,
  change: Partial<Shape>,
): Promise<void> {
  const wanted = { ...shapeOf(before), ...change }
  const former = JSON.stringify(shapeOf(before))
  await loadBalancers.set(tx, scope, before.id, { ...toColumns(wanted), former })
  if (change.services) await useCertificates(tx, scope, before.id, [...before.services, ...change.services])
}

/** Says which certificates a Load Balancer uses. Errors: `not_found`. */
export function useCertificates(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  services: readonly Service[],
): Promise<void> {
  return replaceUses(tx, scope, { type: spelling.type, id }, certificatesOf(services))
}

/** Ends a change: what is desired stays, or what was there before comes back. */
export async function settle(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  outcome: 'kept' | 'reverted',
): Promise<void> {
  const balancer = await findLocked(tx, scope, id)
  if (!balancer) return
  await settleTargets(tx, scope, id, outcome === 'kept' ? 'removing' : 'adding')
  await settlePlace(tx, scope, id, outcome === 'kept' ? 'detaching' : 'attaching')
  if (!balancer.former) return
  const [settled, given] = outcome === 'kept' ? [balancer, balancer.former] : [balancer.former, balancer]
  await loadBalancers.set(tx, scope, id, { ...(outcome === 'kept' ? {} : toColumns(settled)), former: null })
  // Only services that changed had it use the certificates of both.
  if (!isDeepStrictEqual(settled.services, given.services)) await useCertificates(tx, scope, id, settled.services)
}

/** Reads one for a change; undefined when it is gone. */
export async function findLocked(tx: Transaction, scope: ProjectScope, id: number): Promise<LoadBalancer | undefined> {
  if (!(await loadBalancers.hold(tx, scope, [id], 'update')).has(id)) return undefined
  return loadBalancers.find(tx.query, scope, id)
}

/**
 * Deletes a Load Balancer that the transaction has locked; `wasMade` is false for one whose creation failed. The caller
 * renews its desired state, which stays until a driver confirms that it is gone.
 */
export async function removeBalancer(
  tx: Transaction,
  scope: ProjectScope,
  balancer: LoadBalancer,
  wasMade: boolean,
): Promise<void> {
  const { id } = balancer
  await giveBackAddresses(tx, scope, balancer, wasMade)
  await useCertificates(tx, scope, id, [])
  await deleteTargets(tx, scope, await targetsOf(tx.query, scope, [id]))
  await deletePlace(tx, scope, id)
  await loadBalancers.remove(tx, scope, balancer)
}
