/** Refusals say why something could not be done with the files of a box, in words that its owner may read. */
import { DriverError } from '../../../kernel/actions/define.ts'

export class Refusal extends DriverError {}

export const noSuchBox = () => new Refusal('There is no such Storage Box.', { transient: false, code: 'not_found' })
export const noSuchSnapshot = () => new Refusal('There is no such snapshot.', { transient: false, code: 'not_found' })
export const noSuchFolder = () => new Refusal('There is no such directory.', { transient: false, code: 'not_found' })
export const boxFull = (cause?: unknown) =>
  new Refusal('The Storage Box has no room left for this.', { transient: false, code: 'no_room', cause })

/** Hides an error from below, whose own words name paths of this machine. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const said = error instanceof Error ? error.message : ''
  // Node.js has no name for EDQUOT.
  if (/Disk quota exceeded|system error -122\b/.test(said)) return boxFull(error)
  if (/ENOSPC|No space left on device/.test(said)) {
    const text = 'There is no space left for the files of Storage Boxes.'
    return new Refusal(text, { transient: true, code: 'no_room', cause: error })
  }
  return new Refusal('The files of the Storage Box could not be changed.', { transient: true, cause: error })
}
