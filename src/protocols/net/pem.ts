/**
 * A PEM parser (RFC 7468) that runs in linear time. Text around the blocks is allowed, because programs write such
 * text; a block may contain only base64.
 */

export interface PemBlock {
  readonly label: string
  /** The text between the begin and end lines. */
  readonly body: string
}

const begin = '-----BEGIN '
const dashes = '-----'
const maxLabel = 40

/** The blocks of a text; undefined when a block has no end line. */
export function pemBlocks(text: string): PemBlock[] | undefined {
  const blocks: PemBlock[] = []
  for (let at = text.indexOf(begin); at !== -1; ) {
    const labelAt = at + begin.length
    const length = text.slice(labelAt, labelAt + maxLabel + dashes.length).indexOf(dashes)
    if (length === -1) return undefined
    const label = text.slice(labelAt, labelAt + length)
    const bodyAt = labelAt + length + dashes.length
    const end = `${dashes}END ${label}${dashes}`
    const endAt = text.indexOf(end, bodyAt)
    if (endAt === -1) return undefined
    blocks.push({ label, body: text.slice(bodyAt, endAt) })
    at = text.indexOf(begin, endAt + end.length)
  }
  return blocks
}

/** The bytes of a block; undefined when its body is not base64. */
export function pemBytes({ body }: PemBlock): Buffer | undefined {
  const text = body.replace(/\s/g, '')
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined
}
