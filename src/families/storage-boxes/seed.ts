/** Storage Boxes in seed files. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  parts: {
    snapshot_plan: { by: 'enable_snapshot_plan' },
    protection,
  },
  entry: ({ storage_box_type, location, access_settings, snapshot_plan, labels, protection }, { secret }) => {
    secret('password')
    return {
      storage_box_type: storage_box_type.name,
      location: location.name,
      access_settings,
      snapshot_plan,
      labels,
      protection: protectedParts(protection),
    }
  },
  untold: ['its SSH keys, its files, its snapshots and its subaccounts'],
}
