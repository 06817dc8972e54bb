/** Services of Load Balancers: they are added, changed and deleted on request. */
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../../kernel/errors.ts'
import type { OnOne } from '../../../kernel/resource/work.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { addService, changing, deleteService, updateService } from '../actions.ts'
import { loadBalancerChanges } from '../changes.ts'
import { checkRoom, type LoadBalancer, typeOf } from '../domain.ts'
import { setShape, useCertificates } from '../store.ts'
import { targetsOf } from '../targets/store.ts'
import type { serviceEndpoints } from './contract.ts'
import {
  type AskedService,
  certificatesOf,
  changed,
  newService,
  portTakenTwice,
  type Service,
  type ServiceResult,
} from './domain.ts'

type Call = Calls<typeof serviceEndpoints>

/** Adds a service. Errors: those that the contract declares. */
export async function add(platform: Platform, call: Call['addService']) {
  checkDate(call.body, platform.clock.now())
  const service = accepted(newService(call.body))
  return changeServices(platform, addService, call, 412, (services) => [...services, service])
}

/** Changes the service on a port. Errors: those that the contract declares. */
export async function update(platform: Platform, call: Call['updateService']) {
  checkDate(call.body, platform.clock.now())
  return changeServices(platform, updateService, call, 422, (services) => {
    const known = serviceOn(services, call.body.listen_port)
    const service = accepted(changed(known, call.body))
    return services.map((one) => (one === known ? service : one))
  })
}

/** Deletes the service on a port. Errors: those that the contract declares. */
export const remove = (platform: Platform, call: Call['deleteService']) =>
  changeServices(platform, deleteService, call, 422, (services) => {
    const known = serviceOn(services, call.body.listen_port)
    return services.filter((one) => one !== known)
  })

/** Gives a Load Balancer other services; `portStatus` is that of a port that has one already. */
const changeServices = (
  platform: Platform,
  definition: typeof addService,
  call: OnOne,
  portStatus: number,
  changedServices: (services: readonly Service[]) => readonly Service[],
) =>
  changing(platform, definition, call, {
    async change(tx, balancer) {
      const services = changedServices(balancer.services)
      checkPorts(services, portStatus)
      if (isMore(services, balancer.services)) await checkContents(platform, tx, call.scope, balancer, services)
      await naming(() => setShape(tx, call.scope, balancer, { services }))
    },
  })

/** Errors: `resource_limit_exceeded`. */
async function checkContents(
  { catalogue }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  { id, typeId }: LoadBalancer,
  services: readonly Service[],
): Promise<void> {
  const targets = await targetsOf(tx.query, scope, [id])
  checkRoom(typeOf(catalogue, typeId), { services, targets: targets.length })
}

/** Tells whether a change needs more room: an operator may have made a type smaller than what is there. */
const isMore = (services: readonly Service[], before: readonly Service[]) =>
  services.length > before.length || certificatesOf(services).length > certificatesOf(before).length

/** Errors: `invalid_input` for a port without a service. */
function serviceOn(services: readonly Service[], port: number): Service {
  const found = services.find(({ listenPort }) => listenPort === port)
  if (!found) throw invalidInput([{ field: 'listen_port', message: `no service listens on port ${port}` }])
  return found
}

/** Errors: `invalid_input` for what could not be asked for yet. */
function checkDate({ http }: AskedService, nowMs: number, at = ''): void {
  if (http?.timeout_idle === undefined || inEffect(loadBalancerChanges.timeout_idle, nowMs)) return
  throw invalidInput([{ field: `${at}http.timeout_idle`, message: 'unknown field' }])
}

/** Errors: `invalid_input`. */
function accepted(result: ServiceResult, at = ''): Service {
  if ('service' in result) return result.service
  throw invalidInput(result.problems.map(({ field, message }): Problem => ({ field: `${at}${field}`, message })))
}

/** Errors: `source_port_already_used` with the given status. */
function checkPorts(services: readonly Service[], status: number): void {
  const port = portTakenTwice(services)
  if (port === undefined) return
  throw new ApiError('source_port_already_used', `port ${port} is already used by a service`, { status })
}

/** Certificates that are missing are a matter of the body. Errors: `invalid_input`. */
async function naming(work: () => Promise<void>, field = 'http.certificates'): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    throw invalidInput([{ field, message: error.message }])
  }
}

// ---- With the creation of a Load Balancer --------------------------------------------------------------------------

type NewService = AskedService & { readonly protocol: Service['protocol'] }

/** The services that a new Load Balancer is asked for. Errors: `invalid_input`, `source_port_already_used`. */
export function readServices(asked: readonly NewService[], nowMs: number): Service[] {
  const services = asked.map((one, index) => {
    checkDate(one, nowMs, `services[${index}].`)
    return accepted(newService(one), `services[${index}].`)
  })
  checkPorts(services, 412)
  return services
}

/** Says which certificates a new Load Balancer uses. Errors: `invalid_input` for missing ones. */
export function takeCertificates(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  services: readonly Service[],
): Promise<void> {
  return naming(() => useCertificates(tx, scope, id, services), 'services')
}
