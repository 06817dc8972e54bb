/** Snapshots of Storage Boxes through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { selectParts } from '../../../kernel/resource/parts.ts'
import type { Platform } from '../../../platform.ts'
import type { storageBoxEndpoints } from '../contract.ts'
import { boxes } from '../store.ts'
import type { snapshotEndpoints } from './contract.ts'
import type { Snapshot } from './domain.ts'
import { snapshotIn, snapshotsOf } from './store.ts'
import { snapshotToWire } from './view.ts'
import * as work from './work.ts'

type SnapshotRoutes = Pick<Handlers<typeof storageBoxEndpoints>, keyof typeof snapshotEndpoints>

const fieldOf = (snapshot: Snapshot, field: string) => snapshot[field as 'id' | 'name' | 'created']

/** One handler for each endpoint that is about snapshots. */
export function snapshotRoutes(platform: Platform): SnapshotRoutes {
  const { query } = platform.db
  return {
    async listSnapshots({ scope, params: { id }, query: asked }) {
      await boxes.get(query, scope, id)
      const { is_automatic: wanted } = asked
      const all = await snapshotsOf(query, scope, id)
      const some = all.filter(({ isAutomatic }) => wanted === undefined || isAutomatic === wanted)
      return { snapshots: selectParts(some, asked, fieldOf).map(snapshotToWire) }
    },

    async getSnapshot({ scope, params }) {
      await boxes.get(query, scope, params.id)
      return { snapshot: snapshotToWire(await snapshotIn(query, scope, params.id, params.snapshot_id)) }
    },

    createSnapshot: (call) => work.create(platform, call),
    updateSnapshot: (call) => work.update(platform, call),
    removeSnapshot: (call) => work.remove(platform, call),
    rollbackSnapshot: (call) => work.restore(platform, call),
    enableSnapshotPlan: (call) => work.plan(platform, call),
    disableSnapshotPlan: (call) => work.endPlan(platform, call),
  }
}
