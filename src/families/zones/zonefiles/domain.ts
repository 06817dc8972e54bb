/** Zone files (RFC 1035, 5): reading the RRSets of a zone from one, and writing one. Pure. */
import { isWithin, lowerName, type NameKey, nameOf, parseName, printName } from '../../../protocols/net/dns/names.ts'
import {
  dataProblem,
  isRecordType,
  parsePeriod,
  printRdata,
  type RecordTypeName,
  readRdata,
  typeCode,
  typeName,
} from '../../../protocols/net/dns/rdata.ts'
import {
  type Entry,
  Malformed,
  type MalformedKind,
  readEntries,
  type Token,
} from '../../../protocols/net/dns/tokens.ts'
import { type Nameservers, nameserversIn } from '../content/apex.ts'
import { rrsetLimits } from '../limits.ts'
import {
  apex,
  coexistenceProblem,
  type RrsetContent,
  recordNameProblem,
  rrsetKey,
  rrsetProblem,
  tooManyRecords,
} from '../rrsets/domain.ts'
import { settled, Values, withSerial } from '../rrsets/values.ts'

/** What a zone file says. */
export interface ParsedZonefile {
  /** The TTL that its first `$TTL` gives, in seconds. */
  readonly ttl: number | undefined
  readonly rrsets: readonly RrsetContent[]
  /** The name servers of the zone itself. */
  readonly nameservers: Nameservers
}

interface Draft {
  readonly rrset: RrsetContent
  readonly records: { value: string; comment: string }[]
}

/** What is known while the file is read. */
interface State {
  readonly zoneName: string
  readonly zone: NameKey
  /** Relative names are below it. */
  origin: NameKey
  readonly drafts: Map<string, Draft>
  firstTtl: number | undefined
  ttl: number | undefined
  owner: string | undefined
}

const ttlRange = [60, 2_147_483_647] as const

/**
 * Reads a zone file step by step: yields after each entry, so that a caller can let others have their turn, and returns
 * what the file says. Throws {@link Malformed} with the line of the first thing that is wrong.
 */
export function* readZonefile(text: string, zoneName: string): Generator<void, ParsedZonefile> {
  const zone = nameOf(zoneName)
  const state: State = {
    zoneName,
    zone,
    origin: zone,
    drafts: new Map(),
    firstTtl: undefined,
    ttl: undefined,
    owner: undefined,
  }
  for (const entry of readEntries(text)) {
    try {
      if (entry.tokens[0]?.source.startsWith('$')) readDirective(state, entry)
      else if (entry.tokens.length > 0) readRecord(state, entry)
    } catch (error) {
      throw error instanceof Malformed && error.line === 0
        ? new Malformed(entry.line, error.message, error.reason)
        : error
    }
    yield
  }
  const rrsets: RrsetContent[] = []
  for (const { rrset, records } of state.drafts.values()) {
    rrsets.push({ ...rrset, records })
    yield
  }
  const nameservers = yield* checkTogether(state, rrsets)
  return { ttl: state.firstTtl, rrsets, nameservers }
}

/** `readZonefile` adds the number of the line. */
const fail = (message: string, kind: MalformedKind, what?: string, why?: string) =>
  new Malformed(0, message, { kind, ...(what === undefined ? {} : { what }), ...(why === undefined ? {} : { why }) })

function readDirective(state: State, { tokens }: Entry): void {
  const [directive, value, ...more] = tokens.map(({ source }) => source)
  if (!value || more.length > 0)
    throw fail(`has a ${directive} that is not followed by one value`, 'directive', directive)
  if (directive!.toUpperCase() === '$TTL') {
    state.ttl = readTtl(value)
    state.firstTtl ??= state.ttl
  } else if (directive!.toUpperCase() === '$ORIGIN') {
    const name = parseName(value, state.origin)
    const origin = name.ok ? lowerName(name.wire) : undefined
    // Name servers write the zone itself below its parent, often the root, and what is in it below itself.
    const isRelated = origin !== undefined && (isWithin(origin, state.zone) || isWithin(state.zone, origin))
    if (!isRelated) throw fail(`has an $ORIGIN that is not ${state.zoneName}.`, 'origin', `${state.zoneName}.`)
    state.origin = origin
  } else throw fail(`has ${directive!.slice(0, 40)}, which is not supported`, 'unsupported', directive!.slice(0, 40))
}

function readTtl(text: string): number {
  const ttl = parsePeriod(text)
  if (ttl === undefined || ttl < ttlRange[0] || ttl > ttlRange[1]) {
    throw fail(`has a TTL that is not from ${ttlRange[0]} to ${ttlRange[1]}`, 'ttl', ttlRange.join(' - '))
  }
  return ttl
}

function readRecord(state: State, { tokens, isIndented, comment = '' }: Entry): void {
  if (!isIndented) state.owner = readOwner(state, tokens[0]!)
  if (state.owner === undefined) throw fail('begins without an owner', 'ownerless')
  const { ttl, type, data } = readHead(isIndented ? tokens : tokens.slice(1))
  const value = readRdata(type, data, state.origin, { quotesNeeded: false })
  const problem = value.ok ? dataProblem(type, value.bytes) : value.message
  if (!value.ok || problem !== undefined) throw fail(`is no value of type ${type}: ${problem}`, 'value', type, problem)
  if (comment.length > 255) throw fail('has a comment of more than 255 characters', 'comment')
  const later = state.ttl === state.firstTtl ? null : (state.ttl ?? null)
  const rrset: RrsetContent = { name: state.owner, type, ttl: ttl ?? later, records: [] }
  const key = rrsetKey(rrset)
  const draft = state.drafts.get(key) ?? { rrset, records: [] }
  // What no answer could hold is refused as soon as it is too much, not after all of it was read.
  if (draft.records.length === rrsetLimits.records) throw fail(`${key}: ${tooManyRecords}`, 'set', key, tooManyRecords)
  // Names in a value that is kept are below the zone, wherever those in the file are.
  const text = state.origin === state.zone ? value.text : printRdata(type, value.bytes)!
  const record = { value: settled(type, text), comment }
  // Zones as they are transferred end with the SOA record that they begin with.
  const isEnd = type === 'SOA' && draft.records[0]?.value === record.value
  if (!isEnd) draft.records.push(record)
  state.drafts.set(key, draft)
}

function readOwner({ origin, zone, zoneName }: State, { source }: Token): string {
  const name = parseName(source, origin)
  if (!name.ok) throw fail(`has an owner that ${name.message}`, 'owner', source.slice(0, 80), name.message)
  const wire = lowerName(name.wire)
  if (!isWithin(wire, zone)) throw fail('has an owner outside the zone', 'outside', source.slice(0, 80))
  const relative = wire === zone ? apex : printName(`${wire.slice(0, wire.length - zone.length)}\0`).slice(0, -1)
  const problem = recordNameProblem(relative, zoneName)
  if (problem !== undefined) throw fail(`has an owner that ${problem}`, 'owner', source.slice(0, 80), problem)
  return relative
}

/** The name of a class or a type that is given by its number, such as `CLASS1` and `TYPE1` (RFC 3597, 5). */
function named(word: string): string {
  if (word === 'CLASS1') return 'IN'
  const code = /^TYPE\d/.test(word) ? typeCode(word) : undefined
  return code === undefined ? word : typeName(code)
}

/** TTL and class in either order, each at most once, then the type. */
function readHead(tokens: readonly Token[]): { ttl: number | undefined; type: RecordTypeName; data: readonly Token[] } {
  let ttl: number | undefined
  let hasClass = false
  for (const [index, { source }] of tokens.entries()) {
    const word = named(source.toUpperCase())
    if (word === 'IN' && !hasClass) hasClass = true
    else if (ttl === undefined && /^\d/.test(word)) ttl = readTtl(source)
    else if (isRecordType(word)) return { ttl, type: word, data: tokens.slice(index + 1) }
    else {
      const found = source.slice(0, 40)
      throw fail(`has '${found}' where a type that zones can have is expected`, 'type', found)
    }
  }
  throw fail('has no type', 'typeless')
}

/** Returns the name servers of the zone itself. */
function* checkTogether({ zoneName }: State, rrsets: readonly RrsetContent[]): Generator<void, Nameservers> {
  const typesByName = new Map<string, string[]>()
  let nameservers: Nameservers = new Set()
  for (const rrset of rrsets) {
    const values = new Values(zoneName, rrset.type)
    yield* values.readAll(rrset.records)
    const problem = rrsetProblem(values, rrset)
    if (problem !== undefined) throw fail(`${rrsetKey(rrset)}: ${problem}`, 'set', rrsetKey(rrset), problem)
    const types = typesByName.get(rrset.name) ?? []
    types.push(rrset.type)
    typesByName.set(rrset.name, types)
    nameservers = nameserversIn(values, rrset) ?? nameservers
  }
  for (const [name, types] of typesByName) {
    const problem = coexistenceProblem(types)
    if (problem !== undefined) throw fail(`${name}: ${problem}`, 'together', name)
  }
  return nameservers
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/** The head of a zone file. */
export function zonefileHead(zoneName: string, ttl: number): string {
  return `$ORIGIN\t${zoneName}.\n$TTL\t${ttl}\n`
}

/** One RRSet as lines; the serial is that of the zone. */
export function rrsetLines({ name, type, ttl, records }: RrsetContent, serial: number): string {
  const head = [name, 'IN', ...(ttl === null ? [] : [ttl]), type].join('\t')
  return records
    .map(({ value, comment }) => {
      const shown = type === 'SOA' ? withSerial(value, serial) : value
      return `${head}\t${shown}${comment === '' ? '' : ` ; ${comment}`}\n`
    })
    .join('')
}

/** Where an RRSet stands in a zone file: the zone itself first, its SOA and NS records before all others. */
export function zonefileOrder(a: RrsetContent, b: RrsetContent): number {
  const rank = ({ name, type }: RrsetContent) => (name !== apex ? 3 : type === 'SOA' ? 0 : type === 'NS' ? 1 : 2)
  const order = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0)
  return rank(a) - rank(b) || order(a.name, b.name) || order(a.type, b.type)
}
