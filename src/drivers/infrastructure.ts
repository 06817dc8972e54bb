/**
 * Chooses the infrastructure that runs the machines. Nothing above the drivers knows which one it is: another one is
 * added in this folder and chosen here (docs/adr/0019-a-second-driver.md).
 */
import { simulate } from '../families.ts'
import type { Drivers } from '../kernel/actions/define.ts'

export interface InfrastructureOptions {
  /** Milliseconds that a call of the simulated infrastructure takes. */
  readonly delayMs: number
}

/** How long calls may take anyway. */
const usualTimeoutMs = 60_000

/** Opens the infrastructure and returns its drivers. */
export async function openInfrastructure({ delayMs }: InfrastructureOptions): Promise<Drivers> {
  const { drivers } = simulate({ delayMs })
  return delayMs * 10 > usualTimeoutMs ? { ...drivers, callTimeoutMs: delayMs * 10 } : drivers
}
