/** How large a zone may be, however it comes to be so: through the API, from a zone file, or from another name server. */

export interface ZoneLimits {
  /** Most records of a zone. */
  readonly records: number
  /** Most bytes of a zone as text: of the lines that its records are in a zone file, in UTF-8. */
  readonly textBytes: number
}

/** The times of a SOA record in seconds: refresh, retry, expire, and for how long what is missing may be remembered. */
export const soaTimes = [86_400, 10_800, 3_600_000, 3_600] as const

/** The limits unless an operator sets others. A zone of this size can be imported as a file. */
export const defaultZoneLimits: ZoneLimits = { records: 20_000, textBytes: 2 * 1024 * 1024 }

/** Most records of one name and type, and most bytes of them as data: with them an answer fits into a message over TCP. */
export const rrsetLimits = { records: 1_000, dataBytes: 60_000 } as const

/** A record as what it takes in a zone file. */
interface RecordText {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly comment?: string
}

/** What else a line has at most: its class, a TTL, what stands between them, its end, and an empty line before it. */
const restOfLine = '\n\tIN\t2147483647\t\t\n'.length

/** Most bytes of a record's line in a zone file. */
export function lineBytes({ name, type, value, comment = '' }: RecordText): number {
  const commentBytes = comment === '' ? 0 : ' ; '.length + Buffer.byteLength(comment)
  return name.length + type.length + Buffer.byteLength(value) + commentBytes + restOfLine
}

/** What RRSets take of the limits. */
export function sizeOf(
  rrsets: readonly {
    readonly name: string
    readonly type: string
    readonly records: readonly { readonly value: string; readonly comment: string }[]
  }[],
): ZoneLimits {
  let [records, textBytes] = [0, 0]
  for (const { name, type, records: some } of rrsets) {
    records += some.length
    for (const { value, comment } of some) textBytes += lineBytes({ name, type, value, comment })
  }
  return { records, textBytes }
}

/** Which limit a zone of this size is beyond; undefined when it is within both. */
export function zoneLimitProblem(size: ZoneLimits, most: ZoneLimits): string | undefined {
  if (size.records > most.records) return `a zone cannot have more than ${most.records} records`
  return size.textBytes > most.textBytes ? `a zone cannot have more than ${most.textBytes} bytes as text` : undefined
}

/** How large a zone is, as it is kept. */
interface KnownSize {
  readonly recordCount: number
  readonly textBytes: number
}

/** The size of a zone in which other RRSets take the place of some. */
export function sizeWith(
  zone: KnownSize,
  before: Parameters<typeof sizeOf>[0],
  after: Parameters<typeof sizeOf>[0],
): ZoneLimits {
  const [gone, come] = [sizeOf(before), sizeOf(after)]
  return {
    records: zone.recordCount - gone.records + come.records,
    textBytes: zone.textBytes - gone.textBytes + come.textBytes,
  }
}

/** Which limit a zone grows beyond: one that was larger before there was a limit may still become smaller. */
export function growthProblem(zone: KnownSize, size: ZoneLimits, most: ZoneLimits): string | undefined {
  const known = { records: zone.recordCount, textBytes: zone.textBytes }
  const limits = {
    records: Math.max(most.records, known.records),
    textBytes: Math.max(most.textBytes, known.textBytes),
  }
  return zoneLimitProblem(size, limits) === undefined ? undefined : zoneLimitProblem(size, most)
}
