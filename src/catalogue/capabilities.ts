/**
 * Capabilities of the infrastructure of a location. A request for one that is missing is refused before anything is
 * written, and the API shows them to callers who ask first.
 */
import { ApiError } from '../kernel/errors.ts'

/** Each capability, in the order in which they are shown, with why it is refused where it is missing. */
const refusals = {
  rescue: 'servers of this location have no rescue system',
  iso: 'servers of this location have no drive for ISOs',
  /** Each volume is a file system without it. */
  block_volumes: 'volumes of this location are file systems, which need a format',
  console: 'servers of this location have no screen',
  load_balancers: 'this location has no Load Balancers',
  vswitches: 'this location has no vSwitches',
} as const

export type Capability = keyof typeof refusals

export const capabilityNames = Object.keys(refusals) as readonly Capability[]

export type Capabilities = Readonly<Record<Capability, boolean>>

/** The capabilities of virtual machines. */
export const everything = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities

/** Refuses what needs a capability where it is missing. Errors: `unsupported_error`. */
export function needCapability(capabilities: Capabilities, capability: Capability): void {
  if (!capabilities[capability]) throw new ApiError('unsupported_error', refusals[capability])
}
