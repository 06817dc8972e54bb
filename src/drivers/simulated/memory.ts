/** Which generations of desired states the simulated drivers have seen, so that nobody tells them what they know. */
import type { DriverMemory } from '../../kernel/actions/define.ts'
import { Generations, type Site } from './simulation.ts'

/** Keeps the generations of all parts by name. */
export function simulateMemory(site: Site) {
  const known = new Map<string, Generations>()
  const memory: DriverMemory = {
    seen: (of, id) => known.get(of)?.newest(id),
  }
  return {
    drivers: { memory },
    world: {},
    certain: ['memory.seen'],
    /** The generations of one kind of state. */
    generations(of: string): Generations {
      const generations = new Generations(site, of)
      known.set(of, generations)
      return generations
    },
  }
}
