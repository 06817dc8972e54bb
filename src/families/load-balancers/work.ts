/** Load Balancers are made, changed and deleted on request. */
import { randomBytes } from 'node:crypto'
import { needCapability } from '../../catalogue/capabilities.ts'
import { type LoadBalancerType, loadBalancerTypeIsListed } from '../../catalogue/catalogue.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { byIdOrName, type Calls } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { act, adding, conflicting, replyOf } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { holdNetwork, placeBalancer } from '../networks/effects.ts'
import * as actions from './actions.ts'
import { takeAddresses } from './addresses/store.ts'
import { loadBalancerChanges } from './changes.ts'
import type { loadBalancerEndpoints } from './contract.ts'
import { state } from './desired.ts'
import { checkRoom, surplusOf } from './domain.ts'
import type { Observation } from './driver.ts'
import { insertPlace, networkOf } from './places/store.ts'
import { readServices, takeCertificates } from './services/work.ts'
import { cookiePlace, insertLoadBalancer, loadBalancers, removeBalancer, setAddresses, setShape } from './store.ts'
import { goesPrivate, readTarget } from './targets/domain.ts'
import { targetsOf } from './targets/store.ts'
import { addTargets, holdLabels, holdTargetServers, notInNetwork } from './targets/work.ts'
import { loadBalancersToWire } from './view.ts'

type Call = Calls<typeof loadBalancerEndpoints>
type CreateBody = Call['create']['body']

// ---- Creation ------------------------------------------------------------------------------------------------------

/** Nothing has gone through a new one. */
const unused: Observation = { generation: 0, health: [], traffic: { ingoing: 0, outgoing: 0 } }

/** Creates a Load Balancer. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Call['create']) {
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
    const action = actionToWire(await startAction(tx, scope, actions.startOn(actions.createLoadBalancer, id)))
    const reply = await replyOf(platform.db, tx, async (query) => {
      const [wire] = await loadBalancersToWire(platform, query, scope, [balancer], new Map([[id, unused]]))
      return { load_balancer: wire!, action }
    })
    return { added: balancer, reply }
  })
}

type WantedBalancer = ReturnType<typeof readRequest>

/** Reads a request, as far as it can be told without the database what it asks for. Errors: `invalid_input`. */
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
    const ofZone = catalogue.locations.filter(({ network_zone }) => network_zone === zone)
    const first = ofZone.find(({ id }) => capabilities(id).load_balancers) ?? ofZone[0]
    if (!first) throw invalidInput([{ field: 'network_zone', message: 'network zone not found' }])
    return first.id
  }
  const found = byIdOrName(location, catalogue.locationById, catalogue.locationByName)
  if (!found) throw invalidInput([{ field: 'location', message: 'location not found' }])
  return found.id
}

/** Errors: `unsupported_error` for a location without Load Balancers. */
function supported({ capabilities }: Platform, location: number): number {
  needCapability(capabilities(location), 'load_balancers')
  return location
}

/** Locks certificates, servers, keys and addresses, in this order. Errors: `uniqueness_error`; those of what it uses. */
async function insertOne(tx: Transaction, platform: Platform, scope: ProjectScope, wanted: WantedBalancer) {
  const { type, locationId, publicNet, ...given } = wanted
  const { id: typeId, max_connections: maxConnections } = type
  const { id } = await insertLoadBalancer(tx, scope, { ...given, locationId, typeId, maxConnections })
  await takeCertificates(tx, scope, id, wanted.services)
  await holdTargetServers(tx, scope, wanted.targets)
  const cookieSecret = await platform.secrets.seal(tx, scope, cookiePlace(id), randomBytes(32).toString('base64url'))
  const addresses = await takeAddresses(tx, scope, { id, locationId }, publicNet, platform.defaultNames)
  await setAddresses(tx, scope, id, addresses, cookieSecret)
  return loadBalancers.get(tx.query, scope, id)
}

/** A type that can be ordered now, or is the present one. Errors: `invalid_input`. */
function readType({ catalogue, clock }: Platform, asked: number | string, present?: number): LoadBalancerType {
  const type = byIdOrName(asked, catalogue.loadBalancerTypeById, catalogue.loadBalancerTypeByName)
  if (type && (type.id === present || loadBalancerTypeIsListed(type, clock.now()))) return type
  const message = type ? 'is no longer available' : 'Load Balancer type not found'
  throw invalidInput([{ field: 'load_balancer_type', message }])
}

// ---- Changes -------------------------------------------------------------------------------------------------------

/** Deletes a Load Balancer. Errors: `protected`, `conflict`. */
export const remove = ({ db }: Platform, { scope, params: { id } }: Call['remove']) =>
  conflicting(loadBalancers, async () => {
    const action = await db.transact(async (tx) => {
      const balancer = await loadBalancers.lock(tx, scope, id)
      if (balancer.isProtected) throw new ApiError('protected', 'Load Balancer deletion is protected')
      await refuseLocked(tx.query, scope, loadBalancers.ref(id))
      await removeBalancer(tx, scope, balancer, true)
      await state.renew(tx, scope, [id])
      return startAction(tx, scope, actions.startOn(actions.deleteLoadBalancer, id))
    })
    return { action: actionToWire(action) }
  })

/** Chooses how traffic is spread over targets. Errors: `conflict`. */
export const changeAlgorithm = (platform: Platform, call: Call['changeAlgorithm']) =>
  actions.changing(platform, actions.changeAlgorithm, call, {
    change: (tx, balancer) => setShape(tx, call.scope, balancer, { algorithm: call.body.type }),
  })

/** Makes a Load Balancer one of another type. Errors: `conflict`, `invalid_input`, `invalid_load_balancer_type`. */
export const changeType = (platform: Platform, call: Call['changeType']) =>
  actions.changing(platform, actions.changeType, call, {
    async change(tx, balancer) {
      const type = readType(platform, call.body.load_balancer_type, balancer.typeId)
      const targets = await targetsOf(tx.query, call.scope, [balancer.id])
      const surplus = surplusOf(type, { services: balancer.services, targets: targets.length })
      if (surplus) {
        const { most, what } = surplus
        const message = `a load balancer of the type ${type.name} cannot have more than ${most} ${what}`
        throw new ApiError('invalid_load_balancer_type', message)
      }
      const { id: typeId, max_connections: maxConnections } = type
      await setShape(tx, call.scope, balancer, { typeId, maxConnections })
    },
  })

/** Lets a Load Balancer listen on its public addresses. Errors: `conflict`. */
export const enablePublicInterface = (platform: Platform, call: Call['enablePublicInterface']) =>
  actions.changing(platform, actions.enablePublicInterface, call, {
    change: (tx, balancer) => setShape(tx, call.scope, balancer, { isPublic: true }),
  })

/** Leaves a Load Balancer its network alone. Errors: those that the contract declares. */
export const disablePublicInterface = (platform: Platform, call: Call['disablePublicInterface']) =>
  actions.changing(platform, actions.disablePublicInterface, call, {
    async change(tx, balancer) {
      const { scope } = call
      if ((await networkOf(tx.query, scope, balancer.id)) === null) throw notInNetwork()
      const targets = await targetsOf(tx.query, scope, [balancer.id])
      if (!targets.every(goesPrivate)) {
        const message = 'the load balancer has targets that it reaches by public IP'
        throw new ApiError('targets_without_use_private_ip', message)
      }
      await setShape(tx, scope, balancer, { isPublic: false })
    },
  })

/** Protects a Load Balancer from deletion, or no longer. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, loadBalancers, call, async (tx, { id, isProtected }) => {
    const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
    await loadBalancers.set(tx, call.scope, id, { protect_delete })
    return recordOf(actions.changeProtection, loadBalancers.ref(id))
  })
