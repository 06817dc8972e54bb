/** Tells the pages of certificates how a certificate is seen, and when things happen to it. */
import type { ItemOf } from '../../api/api.ts'
import { translator } from '../../lib/messages.ts'
import type { Mood } from '../../ui/state.tsx'
import { date } from '../../words/format.ts'
import { lifetimeOf } from './lifetime.ts'
import { certificates as w } from './words.ts'

export type Certificate = ItemOf<'certificates_list'>

export const dayMs = 86_400_000
/** Uploaded certificates ask for attention this long before they end, and urgently so in their last week. */
const soonMs = 30 * dayMs
const urgentMs = 7 * dayMs

interface Outlook {
  readonly mood: Mood
  /** The state in a few words. */
  readonly text: string
  /** The next event, in weaker ink. */
  readonly next?: string | undefined
}

const shortDate = (time: number) => date(time, { day: 'numeric', month: 'short' })

/** `Ends in 23 days`. */
function endsIn(until: number, now: number): string {
  const days = Math.floor((until - now) / dayMs)
  if (until <= now) return w.ended(shortDate(until))
  return days === 0 ? w.endsToday : w.endsIn(days)
}

export function outlookOf(certificate: Certificate, now = Date.now()): Outlook {
  const life = lifetimeOf(certificate)
  const { status } = certificate
  if (status?.issuance === 'pending') return { mood: 'busy', text: w.issuing }
  if (status?.issuance === 'failed' || !life) return { mood: 'bad', text: w.notIssued }
  const ends = endsIn(life.until, now)
  const left = life.until - now
  if (left <= 0) return { mood: 'bad', text: ends }
  if (!status) {
    const mood = left <= urgentMs ? 'bad' : left <= soonMs ? 'warn' : 'ok'
    return { mood, text: ends, next: mood === 'ok' ? undefined : w.uploadNext }
  }
  if (status.renewal === 'failed') return { mood: left <= soonMs ? 'bad' : 'warn', text: ends, next: w.renewalFailed }
  if (status.renewal === 'pending') return { mood: 'busy', text: w.renewing, next: ends }
  if (status.renewal === 'scheduled') return { mood: 'busy', text: w.renewsSoon, next: ends }
  return { mood: 'ok', text: ends, next: life.renewAt === undefined ? undefined : w.renewsOn(shortDate(life.renewAt)) }
}

/** Returns why it was not issued or renewed, in words; undefined when nothing failed. */
export function failureOf({ status }: Certificate): { readonly code: string; readonly text: string } | undefined {
  const error = status?.error
  if (!error) return undefined
  return { code: error.code, text: causeOf(error) }
}

const namedForm = translator(w.named)

/** Returns why it failed, with the name that is in the way. */
export function causeOf({ code, message }: { readonly code: string; readonly message: string }): string {
  return namedForm(message) ?? (w.causes as Readonly<Record<string, string>>)[code] ?? message
}

export const isRetryable = ({ status }: Certificate) => status?.issuance === 'failed' || status?.renewal === 'failed'
