/** What is sold out cannot be ordered, and is shown so before somebody tries. */
import type { Endpoint } from '../../kernel/contract/contract.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
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
