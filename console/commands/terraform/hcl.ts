/** Text of HCL, the language of Terraform configurations. */

/** An expression that stands as it is, such as `hcloud_server.web.id`. */
export class Expression {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Value = string | number | boolean | Expression | readonly Value[] | { readonly [name: string]: Value }

/** The content of a block: attributes, and blocks of their own by name, which may be repeated. */
export interface Body {
  readonly attributes: Readonly<Record<string, Value | null | undefined>>
  readonly blocks?: readonly (readonly [name: string, body: Body])[]
}

/** A text between quotes, in which nothing is a template. */
function quotedHcl(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what quotes may not have
    .replaceAll(/[\x00-\x1f\x7f]/g, (char) => numbered(char))
    .replaceAll(/(\$+|%+)\{/g, (found, signs: string) =>
      // `$${` is an opening brace after one sign; after more of them it is not clear which one is meant.
      signs.length === 1 ? `${signs}${found}` : `${[...signs].map(numbered).join('')}{`,
    )
  return `"${escaped}"`
}

const numbered = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

const isName = (text: string) => /^[A-Za-z_][\w-]*$/.test(text)

function valueText(value: Value, indent: string): string {
  if (value instanceof Expression) return value.text
  if (typeof value === 'string') return quotedHcl(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map((one: Value) => valueText(one, indent)).join(', ')}]`
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const inner = `${indent}  `
  const names = entries.map(([name]) => (isName(name) ? name : quotedHcl(name)))
  const width = Math.max(...names.map((name) => name.length))
  const lines = entries.map(([, one], index) => `${inner}${names[index]!.padEnd(width)} = ${valueText(one, inner)}`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** A block with its labels, formatted as `terraform fmt` does. */
export function blockText(head: readonly string[], body: Body, indent = ''): string {
  const inner = `${indent}  `
  const given = Object.entries(body.attributes).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined && entry[1] !== null,
  )
  const texts = given.map(([name, value]) => [name, valueText(value, inner)] as const)
  const width = widths(texts)
  const attributes = texts.map(([name, text], index) => `${inner}${name.padEnd(width[index]!)} = ${text}`)
  const blocks = (body.blocks ?? []).map(([name, one]) => blockText([name], one, inner))
  const gap = attributes.length > 0 && blocks.length > 0 ? [''] : []
  const labels = head.slice(1).map((label) => ` ${quotedHcl(label)}`)
  return [`${indent}${head[0]}${labels.join('')} {`, ...attributes, ...gap, blocks.join('\n\n'), `${indent}}`]
    .filter((line, index) => line !== '' || (gap.length > 0 && index === attributes.length + 1))
    .join('\n')
    .replace(/\{\n\n/g, '{\n')
}

/** Returns the width for each name: neighbours of one line each align with each other. */
function widths(texts: readonly (readonly [name: string, text: string])[]): number[] {
  const found: number[] = []
  for (let start = 0; start < texts.length; ) {
    let end = start
    while (end < texts.length && !texts[end]![1].includes('\n')) end++
    end = Math.max(end, start + 1)
    const width = Math.max(...texts.slice(start, end).map(([name]) => name.length))
    for (; start < end; start++) found.push(width)
  }
  return found
}

/** A name that a resource can have in a configuration, after that of the thing itself. */
export function localName(name: string | null | undefined): string {
  const plain = (name ?? '')
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
  if (plain === '') return 'main'
  return /^[A-Za-z]/.test(plain) ? plain : `_${plain}`
}
