/**
 * The changes that a primary sends instead of a whole zone (IXFR, RFC 1995): what goes and what comes, from one serial to the
 * next. A primary may answer with the whole zone as well, which begins otherwise.
 */
import type { TransferredRrset } from '../families/zones/effects.ts'
import { rrsetLimits, sizeOf, type ZoneLimits, zoneLimitProblem } from '../families/zones/limits.ts'

/** A record as a primary sends it; its name is relative to the zone. */
export interface ChangedRecord {
  readonly name: string
  readonly typeText: string
  readonly ttl: number
  readonly value: string
}

interface HeldRrset {
  ttl: number
  readonly values: Set<string>
}

const keyOf = ({ name, typeText }: ChangedRecord) => `${name}/${typeText}`
const isSoa = ({ typeText }: ChangedRecord) => typeText === 'SOA'
const serialOf = ({ value }: ChangedRecord) => Number(value.split(' ')[2])

/** A copy of a zone that follows the changes of its primary. Every method throws when they do not fit what it has. */
export class FollowedZone {
  readonly #rrsets = new Map<string, HeldRrset>()

  constructor(rrsets: Iterable<TransferredRrset>) {
    for (const { name, type, ttl, values } of rrsets) {
      this.#rrsets.set(`${name}/${type}`, { ttl, values: new Set(values) })
    }
  }

  /** Applies the records between the first SOA record of an answer, which is `last`, and its repetition at the end. */
  apply(records: readonly ChangedRecord[], last: ChangedRecord): void {
    let isAdding = true
    for (const record of records) {
      if (isSoa(record)) isAdding = !isAdding
      if (isAdding) this.#add(record)
      else this.#remove(record)
    }
    if (!isAdding || !this.#rrsets.get(keyOf(last))?.values.has(last.value)) {
      throw new Error('the changes of the zone do not lead to its serial')
    }
  }

  /** All that it has now. Errors: when that is more than a zone may have. */
  rrsets(limits: ZoneLimits): TransferredRrset[] {
    const all = [...this.#rrsets].map(([key, { ttl, values }]) => {
      const at = key.lastIndexOf('/')
      if (values.size > rrsetLimits.records) throw new Error(`${key} has more than ${rrsetLimits.records} records`)
      return { name: key.slice(0, at), type: key.slice(at + 1), ttl, values: [...values] }
    })
    const records = all.map((rrset) => ({ ...rrset, records: rrset.values.map((value) => ({ value, comment: '' })) }))
    const problem = zoneLimitProblem(sizeOf(records), limits)
    if (problem !== undefined) throw new Error(problem)
    return all
  }

  #add(record: ChangedRecord): void {
    const key = keyOf(record)
    const held = this.#rrsets.get(key) ?? { ttl: record.ttl, values: new Set<string>() }
    if (held.values.has(record.value)) throw new Error(`${key} has a record already that is to come`)
    if (isSoa(record) && held.values.size > 0) throw new Error('the zone would have two SOA records')
    // Records of an RRset have one TTL (RFC 2181, 5.2).
    held.ttl = Math.min(held.ttl, record.ttl)
    held.values.add(record.value)
    this.#rrsets.set(key, held)
  }

  #remove(record: ChangedRecord): void {
    const key = keyOf(record)
    const held = this.#rrsets.get(key)
    const isThere = isSoa(record) ? this.#dropSoa(held, record) : held?.values.delete(record.value)
    if (!isThere) throw new Error(`${key} lacks a record that is to go`)
    if (held!.values.size === 0) this.#rrsets.delete(key)
  }

  /** The serial of a SOA record says which one it is. */
  #dropSoa(held: HeldRrset | undefined, record: ChangedRecord): boolean {
    const [value] = held?.values ?? []
    return value !== undefined && serialOf({ ...record, value }) === serialOf(record) && held!.values.delete(value)
  }
}
