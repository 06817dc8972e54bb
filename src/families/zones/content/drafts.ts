/** Writing what a zone is to contain: how large it is, in which pieces it is written, and how many do so at once. */
import type { Database } from '../../../kernel/data/db.ts'
import { onBehalfOf } from '../../../kernel/process/behalf.ts'
import { FairQueue } from '../../../kernel/process/fair-queue.ts'
import { inTurns } from '../../../kernel/process/turns.ts'
import type { ProjectId, ProjectScope } from '../../../kernel/scope.ts'
import type { Zone } from '../domain.ts'
import { sizeOf, type ZoneLimits } from '../limits.ts'
import { insertRrsets, type NewRrset } from '../rrsets/store.ts'
import { abandon, begin, type Draft, deleteSuperseded, prolong, stepRrsets } from './store.ts'

/** Most bytes of RRSets that one transaction writes. */
const stepBytes = 128 * 1024

// ---- One at a time -------------------------------------------------------------------------------------------------

/** Each zone is written once at a time, so that no draft is in vain, and each Project writes few at once, to save memory. */
const zonesAtWork = new FairQueue<number>({ atOnce: Number.POSITIVE_INFINITY, perKey: 1 })
const projectsAtWork = new FairQueue<ProjectId>({ atOnce: 8, perKey: 2 })
/** Texts of up to this many bytes do not wait for their turn. */
const smallBytes = 32 * 1024

/** Does `work` once it is its turn, when it reads a large text or writes many RRSets; at once otherwise. */
export function whenPossible<T>(
  scope: ProjectScope,
  { zone, bytes }: { readonly zone: Pick<Zone, 'id'> | undefined; readonly bytes: number },
  work: () => Promise<T>,
): Promise<T> {
  if (bytes <= smallBytes) return work()
  const inProject = () => projectsAtWork.run(scope.projectId, () => onBehalfOf(scope.projectId, work))
  return zone ? zonesAtWork.run(zone.id, inProject) : inProject()
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/**
 * Writes what a zone is to contain, and has `use` publish it in a transaction that also changes the zone. `zone` is
 * undefined for one that is still to be made. Nothing is left when `use` fails.
 */
export async function withDraft<T>(
  { db, scope, zone }: { readonly db: Database; readonly scope: ProjectScope; readonly zone?: Pick<Zone, 'id'> },
  rrsets: readonly NewRrset[],
  use: (draft: Draft) => Promise<T>,
): Promise<T> {
  if (zone) await deleteSuperseded(db, scope, zone)
  const { pieces, size } = await inTurns(inPieces(rrsets))
  const rest = pieces.pop() ?? []
  let contentId: number | undefined
  try {
    for (const piece of pieces) {
      contentId = await db.transact(
        async (tx) => {
          const id = contentId === undefined ? await begin(tx, scope, zone) : await prolong(tx, scope, contentId)
          await insertRrsets(tx, scope, id, piece)
          return id
        },
        // The commit that publishes it waits for the disk, and for all of it.
        { isDurable: false },
      )
    }
    return await use({ contentId, rest, size })
  } catch (error) {
    // Should that fail too, it is deleted once it has expired.
    if (contentId !== undefined) await abandon(db, scope, contentId).catch(() => undefined)
    throw error
  }
}

function* inPieces(rrsets: readonly NewRrset[]): Generator<void, { pieces: NewRrset[][]; size: ZoneLimits }> {
  const pieces: NewRrset[][] = []
  let piece: NewRrset[] = []
  let [records, textBytes, bytes] = [0, 0, 0]
  for (const rrset of rrsets) {
    const size = sizeOf([rrset])
    records += size.records
    textBytes += size.textBytes
    bytes += size.textBytes
    if (piece.length === 0 || piece.length === stepRrsets || bytes > stepBytes) {
      piece = []
      pieces.push(piece)
      bytes = size.textBytes
    }
    piece.push(rrset)
    yield
  }
  return { pieces, size: { records, textBytes } }
}
