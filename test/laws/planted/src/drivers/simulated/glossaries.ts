/** Simulated glossaries: those that readers see. */
import type { GlossaryDriver } from '../../families/glossaries/driver.ts'
import type { Site } from './simulation.ts'

/** Creates the driver of glossaries. */
export function simulateGlossaries(site: Site) {
  const shown = new Set<number>()
  const driver: GlossaryDriver = {
    show: (id, isShown) =>
      site.perform({ driver: 'glossaries', method: 'show', subject: id }, () => {
        if (isShown) shown.add(id)
        else shown.delete(id)
      }),
  }
  return { drivers: { glossaries: driver }, world: { glossaries: shown as ReadonlySet<number> } }
}
