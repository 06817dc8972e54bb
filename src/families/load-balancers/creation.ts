/** Makes Load Balancers, with all that the request asks for. */
import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import { needCapability } from '../../catalogue/capabilities.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { toIdOrName } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { adding, replyOf } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { holdNetwork, placeBalancer } from '../networks/effects.ts'
import { createLoadBalancer, startOn } from './actions.ts'
import { takeAddresses } from './addresses/store.ts'
import { loadBalancerChanges } from './changes.ts'
import type { loadBalancerEndpoints } from './contract.ts'
import { state } from './desired.ts'
import type { Observation } from './driver.ts'
import { insertPlace } from './places/store.ts'
import { readServices, takeCertificates } from './services/routes.ts'
import { cookiePlace, insertLoadBalancer, loadBalancers, setAddresses } from './store.ts'
import { addTargets, holdTargets } from './targets/add.ts'
import { readTarget } from './targets/domain.ts'
import { holdLabels } from './targets/routes.ts'
import { checkRoom, readType } from './types.ts'
import { loadBalancersToWire } from './view.ts'

type CreateBody = Static<(typeof loadBalancerEndpoints)['create']['body']>

/** What is to be seen of a new one: nothing has gone through it. */
const unused: Observation = { generation: 0, health: [], traffic: { ingoing: 0, outgoing: 0 } }

/** Creates a Load Balancer. Errors: those that the contract declares. */
export async function create(platform: Platform, scope: ProjectScope, body: CreateBody) {
  const wanted = readRequest(platform, body)
  const { type, targets, services, networkId } = wanted
  checkRoom(type, { services, targets: targets.length })
  return adding(platform, loadBalancers, scope, async (tx) => {
    await holdLabels(tx, scope, targets)
    if (networkId !== undefined) await holdNetwork(tx, scope, networkId)
    const balancer = await insertOne(tx, platform, scope, wanted)
    const { id, isPublic, locationId } = balancer
    await addTargets(tx, scope, platform, { id, isPublic, network: networkId ?? null }, targets)
    if (networkId !== undefined) {
      const ip = await placeBalancer(tx, scope, platform, networkId, { locationId })
      await insertPlace(tx, scope, { balancerId: id, networkId, ip })
    }
    await state.renew(tx, scope, [id])
    const action = actionToWire(await startAction(tx, scope, startOn(createLoadBalancer, id)))
    return replyOf(platform.db, tx, async (query) => {
      const [wire] = await loadBalancersToWire(platform, query, scope, [balancer], new Map([[id, unused]]))
      return { load_balancer: wire!, action }
    })
  })
}

type Wanted = ReturnType<typeof readRequest>

/** What a request asks for, as far as it can be told without the database. Errors: `invalid_input`. */
function readRequest(platform: Platform, body: CreateBody) {
  const isPublic = body.public_interface ?? true
  const publicNet = readPublicNet(platform, body, isPublic)
  return {
    name: body.name,
    type: readType(platform, body.load_balancer_type),
    locationId: supported(platform, readLocation(platform, body)),
    algorithm: body.algorithm?.type ?? 'round_robin',
    services: readServices(body.services ?? [], platform.clock.now()),
    targets: (body.targets ?? []).map((target, index) => readTarget(target, `targets[${index}].`)),
    labels: body.labels ?? {},
    isPublic,
    networkId: body.network ?? undefined,
    publicNet,
  } as const
}

/** The Primary IPs that are asked for, by type. Errors: `invalid_input`. */
function readPublicNet({ clock }: Platform, { public_net: asked }: CreateBody, isPublic: boolean) {
  if (asked && !inEffect(loadBalancerChanges.load_balancer_public_net, clock.now())) {
    throw invalidInput([{ field: 'public_net', message: 'unknown field' }])
  }
  const given = Object.fromEntries(Object.entries(asked ?? {}).filter(([, id]) => id != null))
  if (!isPublic && Object.keys(given).length > 0) {
    throw invalidInput([{ field: 'public_net', message: 'needs the public interface' }])
  }
  return given as { readonly ipv4?: number; readonly ipv6?: number }
}

/** Either a location is named, or a zone whose first location it is. Errors: `invalid_input`. */
function readLocation({ catalogue, capabilities }: Platform, { location, network_zone: zone }: CreateBody): number {
  if ((location == null) === (zone == null)) {
    const message = 'exactly one of location and network_zone is required'
    throw invalidInput(['location', 'network_zone'].map((field) => ({ field, message })))
  }
  if (location == null) {
    const ofZone = catalogue.locations.filter(({ networkZone }) => networkZone === zone)
    const first = ofZone.find(({ id }) => capabilities(id).load_balancers) ?? ofZone[0]
    if (!first) throw invalidInput([{ field: 'network_zone', message: 'network zone not found' }])
    return first.id
  }
  const key = toIdOrName(location)
  const found = 'id' in key ? catalogue.locationById(key.id) : catalogue.locationByName(key.name)
  if (!found) throw invalidInput([{ field: 'location', message: 'location not found' }])
  return found.id
}

/** Errors: `unsupported_error` for a location without Load Balancers. */
function supported({ capabilities }: Platform, location: number): number {
  needCapability(capabilities(location), 'load_balancers')
  return location
}

/** Locks certificates, servers, keys and addresses, in this order. Errors: `uniqueness_error`; those of what it uses. */
async function insertOne(tx: Transaction, platform: Platform, scope: ProjectScope, wanted: Wanted) {
  const { type, locationId, publicNet, ...given } = wanted
  const { id: typeId, maxConnections } = type
  const { id } = await insertLoadBalancer(tx, scope, { ...given, locationId, typeId, maxConnections })
  await takeCertificates(tx, scope, id, wanted.services)
  await holdTargets(tx, scope, wanted.targets)
  const cookieSecret = await platform.secrets.seal(tx, scope, cookiePlace(id), randomBytes(32).toString('base64url'))
  const addresses = await takeAddresses(tx, scope, { id, locationId }, publicNet, platform.defaultNames)
  await setAddresses(tx, scope, id, addresses, cookieSecret)
  return loadBalancers.get(tx.query, scope, id)
}
