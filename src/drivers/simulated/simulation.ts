import type { Drivers } from '../../kernel/actions/define.ts'
export function createSimulation(_options: { delayMs: number }): { drivers: Drivers } {
  return { drivers: {} }
}
