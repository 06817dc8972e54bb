/** The gauges of Storage Boxes: how many there are, and what they take as it was measured last. */
import { defineGauges } from '../../kernel/process/gauges.ts'
import type { FamilyWorld } from '../../platform.ts'
import { countSnapshots, totalsOfBoxes } from './host.ts'

export const storageBoxGauges = defineGauges(
  'storage boxes',
  {
    wolke_storage_boxes: { help: 'Storage Boxes by status.', labels: ['status'] },
    wolke_storage_boxes_full: { help: 'Storage Boxes of whose capacity at most 5 % is left.' },
    wolke_storage_box_bytes: {
      help: 'What Storage Boxes were promised (capacity), and what their files (data) and snapshots take.',
      labels: ['kind'],
    },
    wolke_storage_box_snapshots: { help: 'Snapshots of Storage Boxes.' },
  },
  async ({ platform: { db } }: FamilyWorld) => {
    const totals = await totalsOfBoxes(db.query)
    const sum = (of: 'full' | 'capacity' | 'data' | 'snapshots') => totals.reduce((all, one) => all + one[of], 0)
    const kinds = ['capacity', 'data', 'snapshots'] as const
    return {
      wolke_storage_boxes: totals.map(({ status, boxes }) => ({ labels: { status }, value: boxes })),
      wolke_storage_boxes_full: [{ value: sum('full') }],
      wolke_storage_box_bytes: kinds.map((kind) => ({ labels: { kind }, value: sum(kind) })),
      wolke_storage_box_snapshots: [{ value: await countSnapshots(db.query) }],
    }
  },
)
