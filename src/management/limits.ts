/** The limits of Projects on the wire. */
import { limitedPaths } from '../families.ts'
import type { Queries } from '../kernel/data/db.ts'
import { type DefaultLimits, limitsOfProjects } from '../kernel/resource/limits.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { countedPaths, countResources } from './store.ts'

/** Returns the number of resources of each kind in some Projects, and their limits. */
export async function holdings(query: Queries, ids: readonly ProjectId[], ofInstallation: DefaultLimits) {
  const [own, used] = [await limitsOfProjects(query, ids), await countResources(query, ids)]
  return new Map(
    ids.map((id) => {
      const [ownLimits, resources] = [own.get(id)!, used.get(id)!]
      const limits = limitedPaths.map((kind) => ({
        kind,
        limit: (ownLimits.has(kind) ? ownLimits.get(kind) : ofInstallation[kind]) ?? null,
        own: ownLimits.has(kind),
        used: countedPaths.includes(kind) ? (resources[kind] ?? 0) : null,
      }))
      return [id, { limits, resources }]
    }),
  )
}
