/** Public addresses of Load Balancers: their own, or those of Primary IPs, which come first. */
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { DefaultNames } from '../../../protocols/net/default-names.ts'
import { defaultReverseNames } from '../../addresses/domain.ts'
import { claimAddress, noAddressFor, releaseAddress } from '../../addresses/store.ts'
import { giveToBalancer, takeFromBalancer } from '../../primary-ips/effects.ts'
import { announceDns } from '../../zones/effects.ts'
import { spelling } from '../contract.ts'
import type { Addresses, LoadBalancer } from '../domain.ts'

const types = ['ipv4', 'ipv6'] as const

/**
 * The addresses of a new Load Balancer; `asked` names Primary IPs. Errors: `resource_unavailable` when none is left;
 * those of `giveToBalancer`.
 */
export async function takeAddresses(
  tx: Transaction,
  scope: ProjectScope,
  balancer: { readonly id: number; readonly locationId: number },
  asked: Parameters<typeof giveToBalancer>[3],
  defaultNames: DefaultNames,
): Promise<Addresses> {
  const given: { ipv4?: string; ipv6?: string } = {}
  for (const type of types) {
    if (asked[type] === undefined) given[type] = await claim(tx, scope, balancer.id, type)
  }
  const own = Object.entries(given).map(([type, ip]) => ({ type: type as 'ipv4' | 'ipv6', ip }))
  const primaryIps = await giveToBalancer(tx, scope, balancer, asked)
  return {
    ipv4: given.ipv4 ?? primaryIps.ipv4!.ip,
    ipv6: given.ipv6 ?? primaryIps.ipv6!.ip,
    primaryIps: { ipv4: primaryIps.ipv4?.id ?? null, ipv6: primaryIps.ipv6?.id ?? null },
    reverseNames: own.flatMap((address) => defaultReverseNames(address, defaultNames)),
  }
}

async function claim(tx: Transaction, scope: ProjectScope, id: number, type: 'ipv4' | 'ipv6'): Promise<string> {
  const ip = await claimAddress(tx, scope, type === 'ipv4' ? 4 : 6, `${spelling.type}:${id}`)
  if (ip === undefined) throw noAddressFor(type)
  return ip
}

/** Gives the addresses of a Load Balancer back that goes away; `wasMade` is false for one whose creation failed. */
export async function giveBackAddresses(
  tx: Transaction,
  scope: ProjectScope,
  balancer: LoadBalancer,
  wasMade: boolean,
): Promise<void> {
  for (const type of types) {
    if (balancer.primaryIps[type] === null) await releaseAddress(tx, scope, balancer[type])
  }
  await takeFromBalancer(tx, scope, balancer.id, wasMade)
}

/** Tells the name server that an address of a Load Balancer has another name. */
export const announceName = (tx: Transaction, address: string) => announceDns(tx, `address:${address}`)
