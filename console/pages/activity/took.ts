/** The duration of an entry. */
import { span } from '../../words/format.ts'
import type { Entry } from './entries.ts'

export function tookOf({ kind, started, finished }: Entry): string | undefined {
  return kind === 'request' || finished === undefined ? undefined : span(Date.parse(finished) - Date.parse(started))
}
