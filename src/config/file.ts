/** The configuration file: the options of `wolke serve` by their names, in YAML. Loaded only when somebody names a file. */
import { readFileSync, statSync } from 'node:fs'
import { InvalidArgumentError, type Option } from 'commander'
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { isRepeatable, isSecret, nameOf, withoutPassword } from './names.ts'

/** The most bytes that a file may have. */
const mostBytes = 65_536

/** A place in a file; both count from 1. */
export interface FilePlace {
  readonly line: number
  readonly column: number
}

/** A mistake at a place. */
export interface Mistake extends FilePlace {
  readonly message: string
}

/** The value that a file gives for an option. */
export interface FileEntry extends FilePlace {
  /** The texts that a command line would have, one after the other; none for an option that is switched off. */
  readonly texts: readonly string[]
}

export interface ConfigFile {
  readonly path: string
  /** Values by the name of the option, without dashes. */
  readonly entries: ReadonlyMap<string, FileEntry>
  /** In the order of the file. Without any, every entry is what its option takes. */
  readonly mistakes: readonly Mistake[]
}

/** Reads a file. `options` are all that it may have. Errors: those of the file system, such as `ENOENT`. */
export function readConfigFile(path: string, options: readonly Option[]): ConfigFile {
  return { path, ...parseConfigFile(readBounded(path), options) }
}

function readBounded(path: string): Buffer {
  const { size } = statOfFile(path)
  if (size > mostBytes) throw new Error(`it has ${size} bytes, of which ${mostBytes} are allowed`)
  return readFileSync(path)
}

/** Reading a pipe or a device would wait for whoever writes to it. */
function statOfFile(path: string) {
  const found = statSync(path)
  if (!found.isFile()) throw new Error('it is no file')
  return found
}

/** Reads the bytes of a file: all that it says, and all that is wrong with it. */
export function parseConfigFile(bytes: Uint8Array, options: readonly Option[]): Omit<ConfigFile, 'path'> {
  const text = textOf(bytes)
  if (typeof text !== 'string') return { entries: new Map(), mistakes: [text] }
  const lines = new LineCounter()
  const document = parsed(text, lines)
  if (!document) return { entries: new Map(), mistakes: [{ line: 1, column: 1, message: 'is nested too deeply' }] }
  const reader = new Reader(options, (offset) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  })
  reader.read(document)
  const mistakes = reader.mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { entries: reader.entries, mistakes }
}

/** The text of a file, or the first place where it has none. */
function textOf(bytes: Uint8Array): string | Mistake {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { line: lineOfBadBytes(bytes), column: 1, message: 'is not UTF-8' }
  }
  const at = text.search(/[^\P{Cc}\t\n\r]/u)
  if (at < 0) return text
  const before = text.slice(0, at).split('\n')
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
  return { line: before.length, column: before.at(-1)!.length + 1, message: `has the control character U+${code}` }
}

function lineOfBadBytes(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  const isBad = (line: string) => Buffer.from(Buffer.from(line, 'latin1').toString('utf8')).toString('latin1') !== line
  return lines.findIndex(isBad) + 1
}

/** Undefined for what is nested so deeply that it cannot be read. */
function parsed(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    // Keys are compared here, as the library compares each with all others.
    const quiet = { prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const
    return parseDocument(text, { ...quiet, lineCounter, version: '1.2', schema: 'core' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A text of a list or a map, with where it begins. */
interface FilePart {
  readonly text: string
  readonly offset: number
}

class Reader {
  readonly entries = new Map<string, FileEntry>()
  readonly mistakes: Mistake[] = []
  /** A place is told of once, by what was found first. */
  readonly #refused = new Set<number>()
  readonly #options: ReadonlyMap<string, Option>
  readonly #placeOf: (offset: number) => FilePlace

  constructor(options: readonly Option[], placeOf: (offset: number) => FilePlace) {
    this.#options = new Map(options.map((option) => [nameOf(option), option]))
    this.#placeOf = placeOf
  }

  read(document: Document.Parsed): void {
    for (const { pos, message } of [...document.errors, ...document.warnings]) this.#refuse(pos[0], message)
    if (this.mistakes.length > 0) return
    const refuse = (_: unknown, node: Node) =>
      this.#refuse(node.range![0], 'anchors and aliases are not used here: write the value out')
    visit(document, {
      Alias: refuse,
      Node: (key, node) => (node.anchor === undefined ? undefined : refuse(key, node)),
    })
    const { contents } = document
    if (contents === null || (isScalar(contents) && contents.value === null)) return
    const seen = new Map<string, number>()
    if (isMap(contents)) for (const pair of contents.items) this.#readPair(pair, seen)
    else this.#refuse(contents.range[0], 'expected options by their names, such as listen: ...')
  }

  #readPair({ key, value }: Pair, seen: Map<string, number>): void {
    const { range } = key as Node
    const offset = range![0]
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined
    const option = name === undefined ? 'expected the name of an option' : this.#optionOf(name, offset, seen)
    if (typeof option === 'string') this.#refuse(offset, option)
    else this.#readValue(option, value as Node | null, offset)
  }

  /** The option of a name, or why it has none. */
  #optionOf(name: string, offset: number, seen: Map<string, number>): Option | string {
    const earlier = seen.get(name)
    if (earlier !== undefined) return `${name}: is here again, after line ${this.#placeOf(earlier).line}`
    seen.set(name, offset)
    const option = this.#options.get(name)
    if (!option) return `${name}: ${this.#unknown(name)}`
    return isSecret(option) ? `${name}: is a secret, which belongs into the environment, as ${option.envVar}` : option
  }

  #readValue(option: Option, value: Node | null, keyOffset: number): void {
    const before = this.mistakes.length
    const parts = this.#partsOf(option, value, keyOffset)
    if (this.mistakes.length > before) return
    const texts = isRepeatable(option) ? parts.map(({ text }) => text) : joined(parts)
    this.#check(option, texts, parts[0]?.offset ?? keyOffset)
    if (this.mistakes.length === before) this.entries.set(nameOf(option), { ...this.#placeOf(keyOffset), texts })
  }

  #unknown(name: string): string {
    if (name === 'oidc-client-secret') return 'is a secret: oidc-client-secret-file names a file with it'
    const plain = name.replace(/^-+/, '').replaceAll('_', '-')
    const near = [...this.#options.keys()].find((known) => known === plain || isNear(known, plain))
    return near === undefined ? 'is not an option' : `is not an option; ${near} is one`
  }

  /** The texts of a value, each of which is what its option takes. */
  #partsOf(option: Option, node: Node | null, keyOffset: number): readonly FilePart[] {
    const offset = node?.range?.[0] ?? keyOffset
    const name = nameOf(option)
    if (option.isBoolean()) return this.#flag(name, node, offset)
    const [isList, isTable] = [listed(option), listed(option) && expected(option).includes('=')]
    if (isSeq(node) && isList) return node.items.flatMap((item) => this.#part(option, item as Node, offset, true))
    if (isMap(node) && isTable)
      return node.items.flatMap(({ key, value }) => this.#pairPart(option, key as Node, value as Node | null))
    if (isScalar(node)) return this.#part(option, node, offset, false)
    const forms = `${isList ? ' or a list of them' : ''}${isTable ? ', or a table' : ''}`
    const found = isSeq(node) ? 'a list' : isMap(node) ? 'a table' : 'nothing'
    this.#refuse(offset, `${name}: expected ${expected(option)}${forms}, not ${found}`)
    return []
  }

  #flag(name: string, node: Node | null, offset: number): readonly FilePart[] {
    if (isScalar(node) && typeof node.value === 'boolean') return node.value ? [{ text: '', offset }] : []
    this.#refuse(offset, `${name}: expected true or false`)
    return []
  }

  #pairPart(option: Option, key: Node, value: Node | null): readonly FilePart[] {
    const [offset, text, name] = [key.range![0], scalarText(value), scalarText(key)]
    if (text === undefined || name === undefined || text.includes(',')) {
      this.#refuse(offset, `${nameOf(option)}: expected ${expected(option).replace(',...', '')}`)
      return []
    }
    return this.#checkPart(option, { text: `${name}=${text}`, offset })
  }

  #part(option: Option, node: Node, around: number, isItem: boolean): readonly FilePart[] {
    const text = scalarText(node)
    const offset = node.range?.[0] ?? around
    if (text === undefined || (isItem && text.includes(',') && !isRepeatable(option))) {
      const found = isScalar(node) ? (node.value === null ? 'nothing' : String(node.value)) : 'more than one value'
      this.#refuse(offset, `${nameOf(option)}: expected ${expected(option).replace(',...', '')}, not ${found}`)
      return []
    }
    return isItem ? this.#checkPart(option, { text, offset }) : [{ text, offset }]
  }

  /** Finds the one of several that is wrong, which the whole would not tell the place of. */
  #checkPart(option: Option, part: FilePart): readonly FilePart[] {
    this.#check(option, [part.text], part.offset)
    return [part]
  }

  #check(option: Option, texts: readonly string[], offset: number): void {
    if (texts.some((text) => withoutPassword(text) !== text))
      this.#refuse(offset, `${nameOf(option)}: has a password, which belongs into the environment, as ${option.envVar}`)
    if (!option.parseArg) return
    try {
      texts.reduce<unknown>((before, text) => option.parseArg!(text, before as never), undefined)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      this.#refuse(offset, `${nameOf(option)}: ${error.message}`)
    }
  }

  #refuse(offset: number, message: string): void {
    if (this.#refused.has(offset)) return
    this.#refused.add(offset)
    this.mistakes.push({ ...this.#placeOf(offset), message })
  }
}

/** What a command line would have; undefined for what is no text or number. */
function scalarText(node: Node | null): string | undefined {
  if (!isScalar(node)) return undefined
  if (typeof node.value === 'string') return node.value
  // A number is as it was written, not as it is computed.
  return typeof node.value === 'number' ? (node.source ?? String(node.value)) : undefined
}

const joined = (parts: readonly FilePart[]) => (parts.length === 0 ? [] : [parts.map(({ text }) => text).join(',')])

/** The value that an option takes, as the help has it. */
const expected = ({ flags }: Option) => /<(.+)>/.exec(flags)?.[1] ?? ''

const listed = (option: Option) => expected(option).endsWith(',...') || isRepeatable(option)

/** One letter more, less or other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const rest = (text: string, skipped: number) => text.slice(start + skipped)
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1)
}
