/** What the data plane is to do for a Load Balancer: all that is desired of it is handed to the driver at once. */
import { type Desired, defineDesired, type World } from '../../kernel/resource/desired.ts'
import { encodedAnew } from '../../protocols/net/pem.ts'
import { findKeyPair } from '../certificates/reads.ts'
import { addressIn, type LoadBalancer } from './domain.ts'
import type { BalancerCertificate, BalancerService, BalancerState } from './driver.ts'
import { placesOfBalancers } from './places/store.ts'
import { certificatesOf, type Service } from './services/domain.ts'
import { cookiePlace, loadBalancers } from './store.ts'
import { resolveTargets } from './targets/desired.ts'
import { resolvedTargetsOf } from './targets/store.ts'

export const state: Desired = defineDesired({
  table: 'load_balancer_state',
  title: 'Load Balancers',
  target: 'load_balancer',
  async handOver(world, id, generation) {
    const balancer = await loadBalancers.find(world.query, world.scope, id)
    if (balancer) await world.drivers.loadBalancers.apply(await stateOf(world, balancer, generation))
    else await world.drivers.loadBalancers.remove(id, generation)
    return { isGone: balancer === undefined }
  },
})

/** All that is desired of a Load Balancer, for a driver. */
async function stateOf(world: World, balancer: LoadBalancer, generation: number): Promise<BalancerState> {
  const { query, scope, secrets } = world
  const { id, isPublic } = balancer
  const [place] = await placesOfBalancers(query, scope, [id])
  const network = place && place.status !== 'detaching' ? place.networkId : null
  const targets = (await resolvedTargetsOf(query, scope, [id])).filter(({ status }) => status !== 'removing')
  const certificates = await certificatesFor(world, balancer.services)
  return {
    id,
    location: balancer.locationId,
    generation,
    cookieSecret: await secrets.open(query, scope, cookiePlace(id), balancer.cookieSecret),
    maxConnections: balancer.maxConnections,
    algorithm: balancer.algorithm,
    publicAddresses: isPublic ? [balancer.ipv4, addressIn(balancer.ipv6)] : [],
    place: place && network !== null ? { network, address: place.ip } : null,
    services: balancer.services.map((service) => toService(service, certificates)),
    targets: await resolveTargets(world, targets, network),
  }
}

// ---- Services ------------------------------------------------------------------------------------------------------

type Certificates = ReadonlyMap<number, BalancerCertificate>

/** The certificates of some services that are issued by now. */
async function certificatesFor({ query, scope, secrets }: World, services: readonly Service[]): Promise<Certificates> {
  const found: BalancerCertificate[] = []
  for (const id of certificatesOf(services)) {
    const pair = await findKeyPair(query, secrets, scope, id)
    if (pair) found.push({ id, chain: readable(pair.certificate), privateKey: readable(pair.privateKey) })
  }
  return new Map(found.map((certificate) => [certificate.id, certificate]))
}

/** Uploads are kept as they were written, with blanks or nothing at all for newlines, which no data plane would read. */
const readable = (pem: string) => encodedAnew(pem) ?? pem

function toService(service: Service, certificates: Certificates): BalancerService {
  const { http, ...others } = service
  if (!http) return { ...others, http }
  return { ...others, http: { ...http, certificates: http.certificates.flatMap((id) => certificates.get(id) ?? []) } }
}
