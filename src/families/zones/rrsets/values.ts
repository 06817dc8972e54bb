/** What the values of records mean. Pure. */
import { type NameKey, nameOf } from '../../../protocols/net/dns/names.ts'
import { dataProblem, parseRdata, type RecordTypeName, sameness } from '../../../protocols/net/dns/rdata.ts'

/** A value that was read, or what is wrong with it. */
export type Value =
  | {
      readonly ok: true
      /** The value as it is kept: as it was written, because clients compare what comes back with what they sent. */
      readonly text: string
      /** A text that two values share when they mean the same data. */
      readonly key: string
      /** How many bytes of data it is. */
      readonly bytes: number
    }
  | { readonly ok: false; readonly message: string }

/**
 * Values of one type in a zone, each of which is read once. A thousand of them take longer than anybody should wait, so
 * those who have many read them in steps, and before a transaction, in which nobody else has a turn.
 */
export class Values {
  readonly type: RecordTypeName
  readonly #origin: NameKey
  readonly #known = new Map<string, Value>()

  constructor(zoneName: string, type: RecordTypeName) {
    this.type = type
    this.#origin = nameOf(zoneName)
  }

  /** Reads a value, unless it was read before. */
  read(text: string): Value {
    const known = this.#known.get(text) ?? this.#parse(text)
    this.#known.set(text, known)
    return known
  }

  /** Reads the values of records as they are given and as they are kept. Yields after each. */
  *readAll(records: readonly { readonly value: string }[]): Generator<void> {
    for (const { value } of records) {
      const read = this.read(value)
      yield
      if (!read.ok || read.text === value) continue
      this.read(read.text)
      yield
    }
  }

  #parse(text: string): Value {
    const data = parseRdata(this.type, text, this.#origin)
    if (!data.ok) return data
    const message = dataProblem(this.type, data.bytes)
    if (message !== undefined) return { ok: false, message }
    return {
      ok: true,
      text: this.type === 'SOA' ? withSerial(data.text, 0) : text,
      key: sameness(this.type, data.bytes),
      bytes: data.bytes.length,
    }
  }
}

/** A value as it is kept: the serial of a SOA record is the zone's own. */
export function settled(type: RecordTypeName, value: string): string {
  return type === 'SOA' ? withSerial(value, 0) : value
}

/** A SOA value with another serial. */
export function withSerial(value: string, serial: number): string {
  const words = value.split(' ')
  return [...words.slice(0, 2), serial, ...words.slice(3)].join(' ')
}
