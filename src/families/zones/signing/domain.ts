/**
 * How a zone comes to be signed, changes its key, and ceases to be signed. Each step lasts until no cache and no parent needs
 * what it takes away (RFC 6781, 4.1; RFC 7583; RFC 8078). Pure.
 */

/**
 * `wanted`: it has no key yet. `signing`: it is signed, and its parent is told nothing until all answers without signatures are
 * forgotten. `signed`: CDS and CDNSKEY records announce its key. `introducing`: its next key is among its keys, and the old one
 * signs. `submitting`: the next key signs and is announced, and the old one signs the keys, until the parent has another DS
 * record and nobody has signatures of the old one any more. `leaving`: CDS and CDNSKEY records ask for no DS records.
 */
export type SigningStep = 'wanted' | 'signing' | 'signed' | 'introducing' | 'submitting' | 'leaving'

/** Steps that the parent of the zone has a say in. */
const awaitsParent = new Set<SigningStep>(['submitting', 'leaving'])
/** Steps at which the DS records of the parent are looked at. */
const looksAtParent = new Set<SigningStep>(['signed', ...awaitsParent])

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long what is given out may be used by others, in milliseconds. */
export const waits = {
  /** No resolver keeps an answer for longer. */
  mostTtlMs: 7 * dayMs,
  /** The TTL of DNSKEY records, and a day for copies of the zone. */
  keysMs: hourMs + dayMs,
  /** Signatures are valid for as long. */
  signaturesMs: 14 * dayMs,
  /** Signatures are made anew after this time for copies of the zone, which are told by a new serial. */
  renewedMs: 3 * dayMs,
  /** The TTL of DS records whose parent was not asked. */
  unknownDsMs: 2 * dayMs,
  lookMs: hourMs,
} as const

/** How far a zone is. Times are the clock's milliseconds. */
export interface Signing {
  readonly step: SigningStep
  readonly until: number
  readonly isSeen: boolean
  readonly wantsRoll: boolean
  readonly renewed: number
}

/** What is done with a zone now; undefined for nothing. */
export type SigningMove = 'makeKey' | 'announce' | 'introduce' | 'submit' | 'retire' | 'leave' | 'renew'

export function moveOf({ step, until, isSeen, wantsRoll, renewed }: Signing, nowMs: number): SigningMove | undefined {
  const isOver = nowMs >= until && (isSeen || !awaitsParent.has(step))
  if (step === 'wanted') return 'makeKey'
  if (step === 'signing' && isOver) return 'announce'
  if (step === 'signed' && wantsRoll) return 'introduce'
  if (step === 'introducing' && isOver) return 'submit'
  if (step === 'submitting' && isOver) return 'retire'
  if (step === 'leaving' && isOver) return 'leave'
  return nowMs >= renewed + waits.renewedMs ? 'renew' : undefined
}

/** When a zone is looked at again. */
export function dueOf({ step, until, renewed }: Signing, nowMs: number): number {
  const next = looksAtParent.has(step) ? nowMs + waits.lookMs : until
  return Math.min(renewed + waits.renewedMs, Math.max(next, nowMs), until > nowMs ? until : Number.POSITIVE_INFINITY)
}

export const isParentAsked = (step: SigningStep): boolean => looksAtParent.has(step)

/** The keys of a zone by their part at a step; the older one is first. */
export interface KeyParts<Key> {
  readonly all: readonly Key[]
  readonly signing: Key
  /** The one that the parent is to lead to, `none` for none; undefined where it is told nothing. */
  readonly announced: Key | 'none' | undefined
}

/** Errors: for a step without a key. */
export function partsAt<Key>(step: SigningStep, all: readonly Key[]): KeyParts<Key> {
  const signing = step === 'submitting' ? all.at(-1) : all[0]
  if (signing === undefined) throw new Error('a signed zone has no key')
  if (step === 'wanted' || step === 'signing') return { all, signing, announced: undefined }
  return { all, signing, announced: step === 'leaving' ? 'none' : signing }
}

/** Tells whether the DS records of a parent are those that a step waits for. `leadsTo` says which keys they lead to. */
export function isWanted<Key>(
  step: SigningStep,
  keys: readonly Key[],
  leadsTo: readonly Key[],
  count: number,
): boolean {
  if (step === 'leaving') return count === 0
  const [announced, ...others] = [...keys].reverse()
  // Without any DS record the zone is not validated, and no key is needed.
  return !others.some((key) => leadsTo.includes(key)) && (count === 0 || leadsTo.includes(announced!))
}
