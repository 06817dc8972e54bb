/** The parts of record values by type, so that people fill in fields and not lines. */
import type { RecordTypeName } from '../../src/protocols/net/dns/rdata.ts'

interface RdataField {
  /** Such as `priority`; words for people are found by it. */
  readonly name: string
  readonly kind: 'number' | 'name' | 'address' | 'text' | 'word' | 'rest'
  readonly most?: number
  readonly example: string
}

const number = (name: string, most: number, example: string): RdataField => ({ name, kind: 'number', most, example })
const hostName = (name: string, example: string): RdataField => ({ name, kind: 'name', example })
const word = (name: string, example: string): RdataField => ({ name, kind: 'word', example })
const text = (name: string, example: string): RdataField => ({ name, kind: 'text', example })
const rest = (name: string, example: string): RdataField => ({ name, kind: 'rest', example })

const service = [number('priority', 65_535, '1'), hostName('target', '.'), rest('params', 'alpn=h2,h3')]

/** The fields of each type, in their order. */
export const rdataFields: Readonly<Record<RecordTypeName, readonly RdataField[]>> = {
  A: [{ name: 'address', kind: 'address', example: '192.0.2.10' }],
  AAAA: [{ name: 'address', kind: 'address', example: '2001:db8::10' }],
  CAA: [number('flags', 255, '0'), word('tag', 'issue'), text('value', 'letsencrypt.org')],
  CNAME: [hostName('target', 'www.example.com.')],
  DS: [
    number('key_tag', 65_535, '60485'),
    number('algorithm', 255, '13'),
    number('digest_type', 255, '2'),
    rest('digest', '2BB183AF5F22588179A53B0A98631FAD1A292118AABBCCDDEEFF001122334455'),
  ],
  HINFO: [text('cpu', 'ARM64'), text('os', 'Linux')],
  HTTPS: service,
  MX: [number('priority', 65_535, '10'), hostName('target', 'mail.example.com.')],
  NS: [hostName('target', 'ns1.example.com.')],
  PTR: [hostName('target', 'host.example.com.')],
  RP: [hostName('mailbox', 'admin.example.com.'), hostName('info', '.')],
  SOA: [
    hostName('primary', 'ns1.example.com.'),
    hostName('mailbox', 'hostmaster.example.com.'),
    number('serial', 4_294_967_295, '0'),
    number('refresh', 2_147_483_647, '86400'),
    number('retry', 2_147_483_647, '10800'),
    number('expire', 2_147_483_647, '3600000'),
    number('minimum', 2_147_483_647, '3600'),
  ],
  SRV: [
    number('priority', 65_535, '0'),
    number('weight', 65_535, '5'),
    number('port', 65_535, '443'),
    hostName('target', 'www.example.com.'),
  ],
  SVCB: service,
  TLSA: [
    number('usage', 255, '3'),
    number('selector', 255, '1'),
    number('matching_type', 255, '1'),
    rest('data', '0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6'),
  ],
  TXT: [text('text', 'v=spf1 -all')],
}

/** Longest part of a text in bytes. */
const mostBytes = 255

/** The value that the fields of a type make up. Long texts become several parts. */
export function joinRdata(type: RecordTypeName, values: readonly string[]): string {
  return rdataFields[type]
    .map(({ kind }, index) => {
      const value = values[index] ?? ''
      return kind === 'text' ? quotedText(value) : value.trim()
    })
    .filter((part) => part !== '')
    .join(' ')
}

/** The fields of a value, as many as its type has; undefined when it is not of that form. */
export function splitRdata(type: RecordTypeName, value: string): readonly string[] | undefined {
  const fields = rdataFields[type]
  const words = value.match(/"(?:[^"\\]|\\[\s\S])*"|\S+/g) ?? []
  if (type === 'TXT') return [words.map(plainText).join('')]
  const last = fields.length - 1
  const endsOpen = fields[last]!.kind === 'rest'
  if (words.length < (endsOpen ? last : fields.length) || (!endsOpen && words.length > fields.length)) return undefined
  return fields.map(({ kind }, index) => {
    if (kind === 'rest') return words.slice(index).join(' ')
    return kind === 'text' ? plainText(words[index]!) : words[index]!
  })
}

function quotedText(value: string): string {
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const char of value) {
    const size = new TextEncoder().encode(char).length
    if (bytes + size > mostBytes) {
      parts.push(part)
      part = ''
      bytes = 0
    }
    bytes += size
    part += escaped(char)
  }
  return [...parts, part].map((one) => `"${one}"`).join(' ')
}

/** Quotes and backslashes get a backslash, and what cannot stand in a line becomes its number. */
function escaped(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`
  const code = char.codePointAt(0)!
  return code < 32 || code === 127 ? `\\${String(code).padStart(3, '0')}` : char
}

/** Several numbers in a row may be the bytes of one character. */
function plainText(word: string): string {
  const inner = word.startsWith('"') ? word.slice(1, -1) : word
  return inner.replaceAll(/(?:\\\d{3})+|\\([^\d])/g, (found, single: string | undefined) => {
    if (single !== undefined) return single
    const bytes = found.split('\\').slice(1).map(Number)
    return new TextDecoder('utf8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
  })
}
