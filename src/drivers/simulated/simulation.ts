export interface Simulation { drivers: Drivers }
import type { Drivers } from '../../kernel/actions/define.ts'
export function createSimulation(_options: { delayMs: number }): Simulation {
  return { drivers: {} }
}
