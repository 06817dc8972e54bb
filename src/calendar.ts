/** The calendar of the API: the dated changes of all parts, oldest first (spec: Versioning). */
import { addressChanges } from './families/addresses/changes.ts'
import { families } from './families.ts'
import { type Change, kernelChanges } from './kernel/contract/changes.ts'
import { metadataChanges } from './metadata/changes.ts'
import { awaitedChanges } from './public-families.ts'

interface DatedEntry extends Change {
  /** The family without which it makes no difference. */
  readonly waitsFor?: string
}

const awaited: DatedEntry[] = Object.entries(awaitedChanges).flatMap(([waitsFor, changes]) =>
  Object.values(changes).map((change) => ({ ...change, waitsFor })),
)

export const calendar: readonly DatedEntry[] = [
  ...[kernelChanges, addressChanges, metadataChanges].flatMap((changes) => Object.values<DatedEntry>(changes)),
  ...families.flatMap(({ changes }) => changes),
  ...awaited,
].sort((a, b) => a.fromMs - b.fromMs || (a.summary < b.summary ? -1 : 1))
