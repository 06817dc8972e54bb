/** The way back to what is shown after an act of the open page. */
import { useQueryClient } from '@tanstack/react-query'
import { useProjectId } from './api.ts'

/**
 * Reads again what shows the families named, in the open Project and in the installation. Errors: only when the part of the
 * console that does it cannot be loaded.
 */
export function useOutdate(): (...families: string[]) => Promise<void> {
  const cache = useQueryClient()
  const project = useProjectId()
  return async (...families) => {
    // It is there long before: the news of the Project need it as well.
    const { outdate } = await import('./outdate.ts')
    await outdate(
      cache,
      project,
      families.map((family) => [family]),
    )
  }
}
