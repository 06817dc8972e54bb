/**
 * Chooses the infrastructure that runs the machines and carries their traffic. Nothing above the drivers knows which one it
 * is: another one is added in this folder and chosen here (docs/adr/0019-a-second-driver.md).
 */
import { simulate } from '../families.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import { type DataPlaneOptions, openDataPlane } from './load-balancers/data-plane.ts'

export interface InfrastructureOptions {
  /** Milliseconds that a call of the simulated infrastructure takes. */
  readonly delayMs: number
  readonly dataPlane: DataPlaneOptions
}

export interface Infrastructure {
  readonly drivers: Drivers
  close(): Promise<void>
}

/** How long calls may take anyway. */
const usualTimeoutMs = 60_000

/** Opens the infrastructure. Errors: one line for the operator. */
export async function openInfrastructure({
  delayMs,
  dataPlane: options,
}: InfrastructureOptions): Promise<Infrastructure> {
  const { drivers } = simulate({ delayMs, clock: options.clock })
  const dataPlane = await openDataPlane(options)
  return {
    drivers: {
      ...drivers,
      ...(dataPlane ? { loadBalancers: dataPlane.driver } : {}),
      ...(delayMs * 10 > usualTimeoutMs ? { callTimeoutMs: delayMs * 10 } : {}),
    },
    close: async () => dataPlane?.close(),
  }
}
