/** Load Balancers as the API shows them, put together with one read of each kind for a whole list. */
import type { Static } from 'typebox'
import type { Queries } from '../../kernel/data/db.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { loadBalancerTypeToWire } from '../load-balancer-types/reads.ts'
import { locationToWire } from '../locations/reads.ts'
import { type PrimaryIp, primaryIpsOfBalancers } from '../primary-ips/reads.ts'
import type { LoadBalancer as Wire } from './contract.ts'
import { addressIn, type LoadBalancer, typeOf } from './domain.ts'
import type { Observations } from './observe.ts'
import { placesOfBalancers } from './places/store.ts'
import { serviceToWire } from './services/view.ts'
import { addressesBehind } from './targets/desired.ts'
import { resolvedTargetsOf } from './targets/store.ts'
import { targetsToWire } from './targets/view.ts'

type LoadBalancerWire = Static<typeof Wire>

/** The wire form of each Load Balancer, in order, with what was seen of them. */
export async function loadBalancersToWire(
  platform: Platform,
  query: Queries,
  scope: ProjectScope,
  balancers: readonly LoadBalancer[],
  seen: Observations,
): Promise<LoadBalancerWire[]> {
  const ids = balancers.map(({ id }) => id)
  const withPrimaryIps = balancers.filter(({ primaryIps }) => primaryIps.ipv4 ?? primaryIps.ipv6)
  const [places, targets, primaryIps] = await Promise.all([
    placesOfBalancers(query, scope, ids),
    resolvedTargetsOf(query, scope, ids),
    primaryIpsOfBalancers(
      query,
      scope,
      withPrimaryIps.map(({ id }) => id),
    ),
  ])
  const addressOf = await addressesBehind({ query, scope }, targets)
  const targetsById = Map.groupBy(targets, ({ balancerId }) => balancerId)
  return mapInTurns(balancers, async (balancer) => {
    const place = places.find(({ balancerId, status }) => balancerId === balancer.id && status !== 'detaching')
    const known = { network: place?.networkId ?? null, addressOf, seen: seen.get(balancer.id) }
    return {
      ...standingFacts(platform, balancer),
      public_net: publicNet(balancer, primaryIps),
      private_net: place ? [{ network: place.networkId, ip: place.ip }] : [],
      targets: await targetsToWire(balancer, targetsById.get(balancer.id) ?? [], known),
      outgoing_traffic: known.seen?.traffic.outgoing ?? null,
      ingoing_traffic: known.seen?.traffic.ingoing ?? null,
    }
  })
}

function standingFacts(
  platform: Platform,
  balancer: LoadBalancer,
): Omit<LoadBalancerWire, 'public_net' | 'private_net' | 'targets' | 'outgoing_traffic' | 'ingoing_traffic'> {
  const { catalogue, clock } = platform
  const location = catalogue.locationById(balancer.locationId)
  if (!location) throw new Error(`the catalogue lacks the location of Load Balancer ${balancer.id}`)
  const type = typeOf(platform.catalogue, balancer.typeId)
  const price = type.prices.find(({ location: name }) => name === location.name)
  return {
    id: balancer.id,
    name: balancer.name,
    location: locationToWire(location),
    load_balancer_type: loadBalancerTypeToWire(type, clock.now()),
    protection: { delete: balancer.isProtected },
    labels: balancer.labels,
    created: balancer.created,
    services: balancer.services.map(serviceToWire),
    algorithm: { type: balancer.algorithm },
    included_traffic: price?.included_traffic ?? 0,
  }
}

function publicNet(balancer: LoadBalancer, primaryIps: readonly PrimaryIp[]): LoadBalancerWire['public_net'] {
  const show = (type: 'ipv4' | 'ipv6', ip: string) => {
    const id = balancer.primaryIps[type]
    const names = id === null ? balancer.reverseNames : primaryIps.find((one) => one.id === id)?.reverseNames
    return { id, ip, dns_ptr: names?.find((name) => name.ip === ip)?.name ?? null }
  }
  return {
    enabled: balancer.isPublic,
    ipv4: show('ipv4', balancer.ipv4),
    ipv6: show('ipv6', addressIn(balancer.ipv6)),
  }
}
