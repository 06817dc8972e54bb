/** The worst records and zone files that can be sent: those that are refused, and those that are taken. */
import assert from 'node:assert/strict'
import type { ZoneContent } from '../src/families/zones/content/apex.ts'
import { rrsetLimits } from '../src/families/zones/limits.ts'
import type { RrsetContent } from '../src/families/zones/rrsets/domain.ts'
import { printRdata, type RecordTypeName, recordTypeNames, recordTypes } from '../src/protocols/net/dns/rdata.ts'
import { svcParamsToText } from '../src/protocols/net/dns/svc-params.ts'
import { fill, type Inputs, units } from './fillings.ts'

type Field = (typeof recordTypes)[RecordTypeName]['fields'][number]
type FieldKind = Field['kind']
export interface RecordInput {
  readonly type: RecordTypeName
  readonly text: string
}

// ---- Any text ------------------------------------------------------------------------------------------------------

/** A right value of each kind of field, and what wrong ones are filled with. */
const fields: Readonly<Record<FieldKind, readonly [right: string, ...units: string[]]>> = {
  ipv4: ['192.0.2.1', '1.', '1'],
  ipv6: ['2001:db8::1', ':', '1:'],
  name: ['a', 'a.', '\\065', '\\\\'],
  number: ['1', '1', '0'],
  period: ['3600', '1s', '1'],
  string: ['"x"', '\\065', 'x', '"'],
  strings: ['"x"', '\\065', 'x', '" "', '"\\065" ', '"'],
  hex: ['ab', 'ab', 'a ', 'g'],
  tag: ['issue', 'a'],
  value: ['"x"', '\\065', 'x', '\ud83d\ude00', '"'],
  params: ['alpn=h2', ...['h2,', '\\065', '\\\\,', ','].map((unit) => `alpn=|${unit}`)],
}
const params = ['ipv4hint=|1.2.3.4,', 'ipv6hint=|::1,', 'ipv6hint=|2001:db8:1:2:3:4:5:6,', 'mandatory=|alpn,']
const moreParams = ['ech=|AAAA', 'dohpath=|\\065', 'key9=|\\065', 'key9=|x', '|key9 ', '|alpn=h2 ']

/** A filling of a size; what stands before `|` comes once. */
function filled(unit: string, size: number): string {
  const [before, rest] = unit.includes('|') ? (unit.split('|') as [string, string]) : ['', unit]
  return before + fill(rest, size)
}

/** Data of every type with one field of a size, as text, quoted and not. */
export function* recordInputs(): Inputs<RecordInput> {
  for (const type of recordTypeNames) {
    const kinds = recordTypes[type].fields.map(({ kind }) => kind)
    for (const [at, kind] of kinds.entries()) {
      const [, ...some] = fields[kind]
      for (const unit of kind === 'params' ? [...some, ...params, ...moreParams] : some) {
        for (const quote of ['', '"']) {
          const long = (size: number) => quote + filled(unit, size) + quote
          const data = (size: number) =>
            kinds.map((other, place) => (place === at ? long(size) : fields[other][0])).join(' ')
          yield [`${type} ${kind} ${quote}${unit}...`, (size) => ({ type, text: data(size) })]
        }
      }
    }
    yield [`${type} generic`, (size) => ({ type, text: `\\# ${size / 2} ${fill('ab', size)}` })]
  }
}

/** Zone files with one long value, with as many records of a length as fit, and of what no zone file has. */
export function* zonefiles(): Inputs<string> {
  const line = ({ type, text }: RecordInput) => `a ${type} ${text}\n`
  for (const [name, make] of recordInputs()) {
    yield [name, (size) => line(make(size))]
    yield [`50 kB each: ${name}`, (size) => fill(line(make(50_000)), size)]
  }
  for (const type of recordTypeNames) {
    const text = recordTypes[type].fields.map(({ kind }) => fields[kind][0]).join(' ')
    yield [`short: ${type}`, (size) => fill(line({ type, text }), size)]
  }
  for (const [name, make] of rightRrsets()) {
    const rrset = make(rrsetLimits.dataBytes)
    const lines = (owner: string) => rrset.records.map(({ value }) => `${owner} ${rrset.type} ${value}\n`).join('')
    const bytes = Buffer.byteLength(lines('a00'))
    const owners = (size: number) => Array.from({ length: Math.max(1, Math.floor(size / bytes)) }, (_, at) => `a${at}`)
    yield [`right: ${name}`, (size) => owners(size).map(lines).join('')]
  }
  for (const before of ['', 'a TXT ', 'a TXT ( ', ';', '$TTL ', '$ORIGIN ', 'a ']) {
    for (const unit of units) yield [`${before}${unit}...`, (size) => before + fill(unit, size)]
  }
}

// ---- What is right -------------------------------------------------------------------------------------------------

/** Fills a field in wire format: `mark` tells values apart that must not be the same. */
type Filling = (size: number, mark: number) => Buffer

/** A mark as four letters. */
const letters = (mark: number) => Buffer.from([12, 8, 4, 0].map((bits) => 0x61 + ((mark >> bits) & 0xf)))
const repeated = (size: number, ...unit: number[]) => Buffer.alloc(Math.max(0, size), Buffer.from(unit))
const marked = (size: number, mark: number, ...unit: number[]) =>
  Buffer.concat([letters(mark), repeated(size - 4, ...unit)])
const string = (content: Buffer) => Buffer.concat([Buffer.of(content.length), content])
const root = Buffer.of(0)

/** Words that one entry can have, each with the space before it. */
const mostWords = 4_900
const strings =
  (length: number, unit: number): Filling =>
  (size, mark) => {
    const count = Math.min(mostWords, Math.floor((size - 5) / (length + 1)))
    const one = string(repeated(length, unit))
    return Buffer.concat([string(letters(mark)), ...Array.from({ length: count }, () => one)])
  }

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** One parameter with a value of a size, which is a multiple of all that such values have many of. */
const param =
  (key: number, ...unit: number[]): Filling =>
  (size, mark) => {
    const value = repeated(Math.max(16, (size - 12) & ~0xf), ...unit)
    return Buffer.concat([u16(key), u16(value.length), value, u16(0xff00), u16(4), letters(mark)])
  }

const keys = (count: number) => Array.from({ length: Math.min(count, mostWords) }, (_, at) => u16(at + 9))
const manyParams: Filling = (size, mark) =>
  Buffer.concat([...keys(size >> 2).flatMap((key) => [key, u16(0)]), u16(0xff00), u16(4), letters(mark)])
const allMandatory: Filling = (size, mark) => {
  const some = keys(Math.max(1, Math.floor(size / 6) - 4))
  return Buffer.concat([u16(0), u16(2 * some.length), ...some, manyParams(4 * some.length, mark)])
}

const quote = 0x22
const wire: Readonly<Record<FieldKind, Readonly<Record<string, Filling>>>> = {
  ipv4: { any: (_, mark) => Buffer.concat([u16(0xc000), u16(mark)]) },
  ipv6: {
    any: (_, mark) =>
      Buffer.concat([Buffer.from('20010db8000100020003000400050000', 'hex').subarray(0, 14), u16(mark)]),
  },
  name: {
    'long labels': (_, mark) =>
      Buffer.concat([
        string(marked(63, mark, quote)),
        ...[63, 63, 61].map((length) => string(repeated(length, quote))),
        root,
      ]),
    'short labels': (_, mark) => Buffer.concat([string(letters(mark)), repeated(248, 1, quote), root]),
  },
  number: { any: () => u16(1) },
  period: { any: () => repeated(4, 1) },
  string: { escapes: (_, mark) => string(marked(255, mark, 0xff)) },
  strings: { 'long escapes': strings(255, 0xff), short: strings(1, 0x61), empty: strings(0, 0) },
  hex: { any: (size, mark) => marked(size, mark, 0xab) },
  tag: { any: () => string(Buffer.from('issue')) },
  value: { escapes: (size, mark) => marked(size, mark, 0xff), plain: (size, mark) => marked(size, mark, 0x61) },
  params: {
    alpn: param(1, 1, quote),
    ipv4hint: param(4, 211, 222, 233, 244),
    ech: param(5, 0xff),
    ipv6hint: param(6, 0x20, 1, 0x0d, 0xb8),
    dohpath: param(7, 0xff),
    'a parameter': param(9, quote),
    'many parameters': manyParams,
    'all mandatory': allMandatory,
  },
}

/** Data of every type in wire format that is right, with a last field of what a size leaves for it. */
function* rightData(): Iterable<readonly [name: string, type: RecordTypeName, make: Filling]> {
  for (const type of recordTypeNames) {
    const all: readonly Field[] = recordTypes[type].fields
    for (const [kind, filling] of Object.entries(wire[all.at(-1)!.kind])) {
      const make: Filling = (size, mark) => {
        const before = all.slice(0, -1).map((field) => {
          if (field.kind === 'number') return repeated(field.bytes, 1)
          return Object.values(wire[field.kind])[0]!(0, mark)
        })
        return Buffer.concat([...before, filling(size - Buffer.concat(before).length, mark)])
      }
      const last = all.at(-1)!
      if (last.kind !== 'number') yield [`${type} ${kind}`, type, make]
    }
  }
}

function right<T>(text: T | undefined, name: string): T {
  assert.ok(text !== undefined, `${name} is wrong`)
  return text
}

export function* rightBytes(): Inputs<{ readonly type: RecordTypeName; readonly data: Buffer }> {
  for (const [name, type, make] of rightData()) yield [name, (size) => ({ type, data: make(size, 0) })]
}

/** The largest values of all types, where `size` is that of their data. */
export function* rightRecords(): Inputs<RecordInput> {
  for (const [name, type, make] of rightData()) {
    yield [name, (size) => ({ type, text: right(printRdata(type, make(size, 0)), name) })]
  }
}

/** Parameters of SVCB records in wire format. */
export function* rightParams(): Inputs<Buffer> {
  for (const [name, make] of Object.entries(wire.params)) yield [name, (size) => make(size, 0)]
}

export function* paramTexts(): Inputs<string> {
  for (const [name, make] of rightParams()) yield [name, (size) => right(svcParamsToText(make(size)), name)]
}

/** The bytes of each record in an answer besides its data. */
const headBytes = 12

/** RRSets whose data has a size: one value of it where values can be as large, and as many as fit. */
export function* rightRrsets(): Inputs<RrsetContent> {
  for (const [name, type, make] of rightData()) {
    if (type === 'SOA' || type === 'CNAME') continue
    // Those of some types are as long whatever is asked for.
    const asked = new Map([50, 5_000, rrsetLimits.dataBytes].map((size) => [make(size - headBytes, 0).length, size]))
    for (const [length, most] of asked) {
      const rrset = (size: number): RrsetContent => {
        // An even number, so that half the size is half the work.
        const count = Math.max(1, Math.min(rrsetLimits.records, 2 * Math.floor(size / 2 / (length + headBytes))))
        const each = Math.min(size, most) - headBytes
        const value = (mark: number) => right(printRdata(type, make(each, mark)), name)
        return {
          name: 'a',
          type,
          ttl: null,
          records: Array.from({ length: count }, (_, at) => ({ value: value(at), comment: '' })),
        }
      }
      yield [`${name}, ${length} bytes each`, rrset]
    }
  }
}

// ---- Zones as a whole ----------------------------------------------------------------------------------------------

const one = (name: string, type: RecordTypeName, values: readonly string[]): RrsetContent => ({
  name,
  type,
  ttl: null,
  records: values.map((value) => ({ value, comment: '' })),
})

/** The largest zones: with as many RRSets as there can be, and with the longest names. */
export function* zoneContents(): Inputs<ZoneContent> {
  const zone = (count: number, name: (place: number) => string, nameservers: readonly string[]): ZoneContent => ({
    rrsets: [
      ...Array.from({ length: count }, (_, at) => one(name((at * 7_919) % count), 'A', ['192.0.2.1'])),
      one('@', 'NS', nameservers),
      one('@', 'SOA', ['a. b. 0 1 1 1 1']),
    ],
    nameservers: new Set(nameservers),
  })
  const many = Array.from({ length: 1_000 }, (_, at) => `\x03n${letters(at)}\0`)
  const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.`
  // A record takes a hundred bytes of the limit at least.
  yield ['many names', (size) => zone(Math.floor(size / 110), (place) => `host${place}`, ['\x03ns1\0'])]
  yield ['long names', (size) => zone(Math.floor(size / 200), (place) => `${long}${place}`, ['\x03ns1\0'])]
  yield ['many name servers', (size) => zone(Math.floor(size / 200), (place) => `host${place}`, many)]
}
