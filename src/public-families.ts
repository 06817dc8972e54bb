/** The families of the public API that are not here yet: what clients may ask for, and the changes that wait for it. */
import { spelling as storageBoxTypes } from './families/storage-box-types/contract.ts'
import { spelling as storageBoxes } from './families/storage-boxes/contract.ts'
import { type Change, defineChanges } from './kernel/contract/changes.ts'

/**
 * Families of the public API that this installation does not have, by path, with the name that a refusal uses. Their
 * folders have their lists alone, which are empty: everything else is refused until a family is whole and leaves this
 * list.
 */
export const publicFamilies: Readonly<Record<string, string>> = Object.fromEntries(
  [storageBoxTypes, storageBoxes].map(({ path, titles }) => [path, titles]),
)

/** What the public cloud has at other services, which clients may look for here, by the paths at which they do. */
const elsewhere = { buckets: 'Buckets', object_storages: 'Object Storages' }

/** All that a refusal names, by path: the families, and what would not be one here. */
export const missing: Readonly<Record<string, string>> = { ...publicFamilies, ...elsewhere }

/** Dated changes that make no difference before the family is here, by its path. They move to the family with it. */
export const awaitedChanges: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  [storageBoxes.path]: defineChanges({
    storage_box_root: {
      from: '2025-06-01',
      section: 'Versioning',
      summary: 'Storage boxes moved to an API root of their own',
    },
    storage_box_passwords: {
      from: '2025-09-17',
      section: 'Limits',
      summary: 'Storage box passwords have at least 12 characters and a special one',
    },
    storage_box_changes: {
      from: '2025-10-01',
      section: 'Versioning',
      summary: 'Storage boxes: sorting, filters, optional fields, rollback takes snapshot',
    },
    subaccount_name: {
      from: '2026-01-01',
      section: 'Versioning',
      summary: 'Subaccounts of storage boxes have a unique name',
    },
  }),
}
