/**
 * The little of XML that WebDAV needs (RFC 4918): elements with their namespaces. There are no document types and no
 * entities but the five that XML has, so that nothing grows while it is read.
 */

export interface Element {
  readonly namespace: string
  readonly name: string
  readonly children: readonly Element[]
  readonly text: string
}

/** The body is no XML, or more of it than WebDAV needs. */
export class BadXml extends Error {}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const tooMuch = 'this is more than a request of WebDAV has'
const deepest = 32
/** In a document. */
export const mostElements = 10_000
/** In characters. A prefix of one letter may stand for it in each element, and each is written with it. */
const longestNamespace = 1_024
/** In characters of all elements of a document as they are written, with the namespace on each. */
const longestTags = 64 * 1024

const token = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\/?[^\s<>/!?][^<>]*>|[^<]+/y
const attribute = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

/** The prefixes that an element declares, within those of the element around it: nothing is copied, however many there are. */
interface Prefixes {
  readonly own: ReadonlyMap<string, string>
  readonly around: Prefixes | undefined
}

/** The namespace that a prefix stands for; undefined for one that nobody has declared. */
function namespaceOf(prefix: string, prefixes: Prefixes): string | undefined {
  for (let scope: Prefixes | undefined = prefixes; scope; scope = scope.around) {
    const found = scope.own.get(prefix)
    if (found !== undefined) return found
  }
  return undefined
}

interface Open {
  readonly tag: string
  readonly namespace: string
  readonly name: string
  readonly prefixes: Prefixes
  readonly children: Element[]
  text: string
}

function decoded(text: string): string {
  return text.replace(/&([^;\s]{1,10});|&/g, (whole, name: string | undefined) => {
    if (name === undefined) throw new BadXml('an & stands alone')
    const number = /^#x([0-9a-f]+)$/i.exec(name)?.[1] ?? undefined
    const code = number ? Number.parseInt(number, 16) : Number(/^#(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code)
    const character = Object.hasOwn(entities, name) ? entities[name] : undefined
    if (character === undefined) throw new BadXml(`${whole} is not known`)
    return character
  })
}

/** Reads a document. Errors: `BadXml`. */
export function parseXml(text: string): Element {
  const prefixes = { own: new Map([['', '']]), around: undefined }
  const root: Open = { tag: '', namespace: '', name: '', prefixes, children: [], text: '' }
  const open: Open[] = [root]
  let [count, tags] = [0, 0]
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === undefined) throw new BadXml('this is no XML')
    at += found.length
    const top = open.at(-1)!
    if (found.startsWith('<?') || found.startsWith('<!--')) continue
    if (found.startsWith('<![CDATA[')) top.text += found.slice(9, -3)
    else if (found.startsWith('</')) close(open, found.slice(2, -1).trim())
    else if (found.startsWith('<')) {
      if (++count > mostElements || open.length > deepest) throw new BadXml(tooMuch)
      tags += begin(open, found)
      if (tags > longestTags) throw new BadXml(tooMuch)
    } else top.text += decoded(found)
  }
  if (open.length !== 1 || root.children.length !== 1 || root.text.trim() !== '')
    throw new BadXml('elements do not end')
  return root.children[0]!
}

/** Opens an element. Returns how long its name and namespace are. */
function begin(open: Open[], found: string): number {
  const isEmpty = found.endsWith('/>')
  const [tag = ''] = /^[^\s/>]+/.exec(found.slice(1)) ?? []
  const declared = new Map<string, string>()
  const end = found.length - (isEmpty ? 2 : 1)
  let at = 1 + tag.length
  for (;;) {
    attribute.lastIndex = at
    const pair = attribute.exec(found)
    if (!pair) break
    at += pair[0].length
    const value = decoded(pair[2] ?? pair[3] ?? '')
    if (pair[1] === 'xmlns') declared.set('', value)
    else if (pair[1]!.startsWith('xmlns:')) {
      if (value === '') throw new BadXml('a prefix has no namespace')
      declared.set(pair[1]!.slice(6), value)
    }
  }
  if (found.slice(at, end).trim() !== '') throw new BadXml('an attribute is none')
  const [name = '', prefix = ''] = tag.split(':').reverse()
  const around = open.at(-1)!.prefixes
  const prefixes = declared.size > 0 ? { own: declared, around } : around
  const namespace = namespaceOf(prefix, prefixes)
  if (namespace === undefined) throw new BadXml(`the prefix ${prefix} is not known`)
  if (namespace.length > longestNamespace) throw new BadXml('a namespace is too long')
  open.push({ tag, namespace, name, prefixes, children: [], text: '' })
  if (isEmpty) close(open, tag)
  return namespace.length + name.length
}

function close(open: Open[], tag: string): void {
  const { tag: begun, namespace, name, children, text } = open.pop()!
  if (begun !== tag || open.length === 0) throw new BadXml('elements do not end where they should')
  open.at(-1)!.children.push({ namespace, name, children, text })
}

/** Text within an element. Characters that XML cannot have are shown as missing. */
export function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have
  const shown = text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
  return shown.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** An element as text, with its namespace on itself. */
export function written({ namespace, name, children, text }: Element): string {
  const inside = escaped(text) + children.map(written).join('')
  const space = namespace === '' ? ' xmlns=""' : ` xmlns="${escaped(namespace)}"`
  return `<${name}${space}>${inside}</${name}>`
}
