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

const lineLength = /.{1,64}/g

/**
 * The same blocks in the form that every program reads: lines of 64 characters, each with a newline behind it, and nothing
 * between blocks. Parameters of a curve go, because the key names its curve itself. Undefined for what is no PEM.
 */
export function encodedAnew(text: string): string | undefined {
  const encoded = pemBlocks(text)
    ?.filter(({ label }) => label !== 'EC PARAMETERS')
    .map((block) => {
      const lines = pemBytes(block)?.toString('base64').match(lineLength)
      return (
        lines && [`${begin}${block.label}${dashes}`, ...lines, `${dashes}END ${block.label}${dashes}`, ''].join('\n')
      )
    })
  return encoded?.every((block) => block !== undefined) ? encoded.join('') : undefined
}
