/**
 * What the infrastructure of a location can do. What it cannot do is refused before anything is written, and shown to
 * whoever wants to know before asking.
 */
import { ApiError } from '../kernel/errors.ts'

/** Each capability, in the order in which they are shown, with why it is refused where it is missing. */
const refusals = {
  rescue: 'servers of this location have no rescue system',
  iso: 'servers of this location have no drive for ISOs',
  /** Without it, each volume is a file system. */
  block_volumes: 'volumes of this location are file systems, which need a format',
  console: 'servers of this location have no screen',
  load_balancers: 'this location has no Load Balancers',
  vswitches: 'this location has no vSwitches',
} as const

export type Capability = keyof typeof refusals

export const capabilityNames = Object.keys(refusals) as readonly Capability[]

export type Capabilities = Readonly<Record<Capability, boolean>>

/** What virtual machines can do. */
export const everything = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities

/** Refuses what needs a capability where it is missing. Errors: `unsupported_error`. */
export function needCapability(capabilities: Capabilities, capability: Capability): void {
  if (!capabilities[capability]) throw new ApiError('unsupported_error', refusals[capability])
}
