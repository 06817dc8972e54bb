/** The calendar of the API: the dated changes of all parts, oldest first (spec: Versioning). */
import { addressChanges } from './families/addresses/changes.ts'
import { families } from './families.ts'
import { type Change, kernelChanges } from './kernel/contract/changes.ts'
import { metadataChanges } from './metadata/changes.ts'

export const calendar: readonly Change[] = [
  ...[kernelChanges, addressChanges, metadataChanges].flatMap((changes) => Object.values<Change>(changes)),
  ...families.flatMap(({ changes }) => changes),
].sort((a, b) => a.fromMs - b.fromMs || (a.summary < b.summary ? -1 : 1))
