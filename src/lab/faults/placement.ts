/** What is sold out cannot be ordered, and is shown so before somebody tries; nor can what wants an address when none is left. */
import type { Endpoint } from '../../kernel/contract/contract.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { Effect } from './contract.ts'
import type { MatchBody } from './matching.ts'

/** Tells whether an operation wants room for something: its body names a type. */
export function wantsRoom({ body }: Endpoint): boolean {
  return body !== undefined && ['server_type', 'load_balancer_type'].some((field) => field in body.properties)
}

/** The error of an operation for which there is no room: changes of types have one of their own. */
export function noRoomFor({ errors }: Endpoint): { readonly code: ErrorCode; readonly message: string } {
  const own = errors.find((code) => /^invalid_\w+_type$/.test(code))
  if (own === undefined) return { code: 'resource_unavailable', message: 'error during placement' }
  return { code: own, message: 'the type is not available in the location' }
}

/** The part of a body that says with which addresses something is made. */
interface PublicNet {
  readonly enable_ipv4?: boolean
  readonly enable_ipv6?: boolean
  readonly ipv4?: number | null
  readonly ipv6?: number | null
}

/** The error of a request that wants an address of the pool; undefined for one that wants none. */
export function noAddressFor({ errors, body }: Endpoint, given: unknown): Effect['error'] {
  // Whatever is an address itself says so by its errors.
  if (errors.includes('unavailable')) return { code: 'unavailable', status: 412, message: 'no address is available' }
  if (!(body && 'public_net' in body.properties)) return undefined
  const { public_net: net } = (given ?? {}) as { readonly public_net?: PublicNet | null }
  const { enable_ipv4 = true, enable_ipv6 = true, ipv4, ipv6 } = net ?? {}
  if (!(enable_ipv4 && ipv4 == null) && !(enable_ipv6 && ipv6 == null)) return undefined
  return { code: 'resource_unavailable', message: 'no address is available' }
}

/** The fields of the reply of types of servers that say where they can be had. */
interface ShownType {
  readonly name: string
  readonly locations?: readonly { readonly name: string; readonly available?: boolean }[]
}

/** A reply about types of servers, in which those are not available that are sold out by `matches`. */
export function withoutRoom<Made>(made: Made, matches: readonly MatchBody[]): Made {
  if (matches.length === 0) return made
  const shown = (one: ShownType): ShownType =>
    one.locations
      ? {
          ...one,
          locations: one.locations.map((place) => (isOut(one, place) ? { ...place, available: false } : place)),
        }
      : one
  const isOut = ({ name }: ShownType, place: { readonly name: string; readonly available?: boolean }) =>
    place.available === true &&
    matches.some(({ location = place.name, server_type: wanted = name }) => location === place.name && wanted === name)
  const entries = Object.entries(made as object).map(([key, value]) => {
    if (key === 'server_type') return [key, shown(value)]
    return key === 'server_types' ? [key, (value as readonly ShownType[]).map(shown)] : [key, value]
  })
  return Object.fromEntries(entries) as Made
}
