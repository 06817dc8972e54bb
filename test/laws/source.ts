/**
 * Reads the project's source for the safety tests: text with comments or strings blanked out, and imports. The scanner
 * handles the TypeScript in this repository, not the whole language.
 */
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { sliceLists } from '../../scripts/console-slices.ts'

export interface Import {
  /** The specifier as written. */
  readonly specifier: string
  /** The file relative to src, such as `kernel/data/db.ts`; undefined for packages and Node.js modules. */
  readonly file: string | undefined
  readonly isTypeOnly: boolean
  readonly names: readonly string[]
}

export interface Source {
  /** The path relative to src, such as `families/firewalls/store.ts`. */
  readonly path: string
  readonly text: string
  /** The text with comments blanked out; positions stay the same. */
  readonly code: string
  /** The code with the content of strings, templates and regular expressions blanked out as well. */
  readonly bare: string
  readonly imports: readonly Import[]
}

/** Tells whether a file exists for tests only and is not part of the bundle. */
export const isOfTests = (path: string) => path.endsWith('.test.ts') || /\/proof(\.ts$|\/)/.test(path)

/** Every module below src except for tests. */
export function readSources(): Source[] {
  return read('src', ({ name }) => name.endsWith('.ts'))
    .filter(([path]) => !isOfTests(path))
    .map(([path, text]) => toSource(path.slice('src/'.length), text))
}

/** What the console is written in, with the lists that are made of it, and whatever uses it; paths are relative to the root. */
export function readConsole(): Source[] {
  const isPart = ({ name, parentPath }: Dirent) => /\.(tsx?|css)$/.test(name) && !parentPath.endsWith('/generated')
  const written = ['console', 'test', 'bench', 'scripts'].flatMap((folder) => read(folder, isPart))
  const made = Object.entries(sliceLists).map(([name, text]) => [`console/generated/${name}`, text] as const)
  return [...written, ...made].map(([path, text]) => toSource(path, text))
}

/** The files of a folder with their texts, by path relative to the root. */
function read(folder: string, isWanted: (entry: Dirent) => boolean): (readonly [path: string, text: string])[] {
  const root = new URL('../../', import.meta.url).pathname
  return readdirSync(root + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry))
    .map((entry) => posix.join(entry.parentPath.replaceAll('\\', '/'), entry.name))
    .sort()
    .map((path) => [path.slice(root.length), readFileSync(path, 'utf8')])
}

export function toSource(path: string, text: string): Source {
  const { code, bare } = blank(text)
  return { path, text, code, bare, imports: importsOf(path, code, bare) }
}

/** The line number of a position, from 1. */
export function lineAt({ text }: Source, position: number): number {
  return text.slice(0, position).split('\n').length
}

// ---- Imports -------------------------------------------------------------------------------------------------------

const statements = /^(import|export)\s+(type\s+)?([^'"`;]*?)\s*\bfrom\s*['"]([^'"]+)['"]/gm
const bareImports = /^import\s*['"]([^'"]+)['"]/gm
const calls = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

function importsOf(path: string, code: string, bare: string): Import[] {
  const isCode = (position: number) => /\w/.test(bare[position] ?? '')
  const found: Import[] = []
  const add = (specifier: string, isTypeOnly: boolean, names: string[]) => {
    const file = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
    found.push({ specifier, file, isTypeOnly, names })
  }
  for (const { index, 2: type, 3: what = '', 4: specifier = '' } of code.matchAll(statements)) {
    if (!isCode(index)) continue
    const parts = what.replace(/[{}]/g, ',').split(',')
    const named = parts.map((part) => part.trim()).filter((part) => part !== '')
    const names = named.map((part) => part.replace(/^type\s+/, '').split(/\s+as\s+/)[0]!)
    add(specifier, type !== undefined || (named.length > 0 && named.every((part) => /^type\s/.test(part))), names)
  }
  for (const { index, 1: specifier = '' } of code.matchAll(bareImports)) if (isCode(index)) add(specifier, false, [])
  for (const { index, 1: specifier = '' } of code.matchAll(calls)) if (isCode(index)) add(specifier, false, [])
  return found
}

// ---- Blanking ------------------------------------------------------------------------------------------------------

/** The end of a quoted string whose content begins at `from`. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at
  }
  return text.length
}

function endOfRegExp(text: string, from: number): number {
  let isClass = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') isClass = true
    else if (text[at] === ']') isClass = false
    else if (text[at] === '/' && !isClass) return at
  }
  return text.length
}

/** A slash begins a regular expression where a value is expected: after an operator, a bracket or `return`. */
function expectsValue(before: string): boolean {
  return /(^|[(,=:[!&|?{};+\-*%~^<>]|\breturn)$/.test(before.trimEnd())
}

/** Whether a slash is that of `</a>` or `<a />`. */
function isOfTag(text: string, at: number): boolean {
  return text[at - 1] === '<' || /^[\s\w"'}]\/>/.test(text.slice(at - 1, at + 2))
}

const spaces = (text: string) => text.replace(/[^\n]/g, ' ')

/** Scans the text once; `depths` holds the number of open braces in each open `${`. */
function blank(text: string): { code: string; bare: string } {
  let code = ''
  let bare = ''
  const depths: number[] = []
  const keep = (part: string) => {
    code += part
    bare += part
  }
  const hide = (part: string, inCode: string) => {
    code += inCode
    bare += spaces(part)
  }
  /** Scans template text from after a backtick or the end of a `${}` to the backtick or the next `${`. */
  const template = (from: number): number => {
    for (let at = from; at < text.length; at++) {
      if (text[at] === '\\') at++
      else if (text[at] === '`') return hideTo(from, at, '`')
      else if (text[at] === '$' && text[at + 1] === '{') {
        depths.push(0)
        return hideTo(from, at, '${')
      }
    }
    return text.length
  }
  const hideTo = (from: number, to: number, closing: string): number => {
    hide(text.slice(from, to), text.slice(from, to))
    keep(closing)
    return to + closing.length
  }
  for (let at = 0; at < text.length; ) {
    const char = text[at]!
    const two = text.slice(at, at + 2)
    if (two === '//' || two === '/*') {
      const end = two === '//' ? text.indexOf('\n', at) : text.indexOf('*/', at) + 2
      const part = text.slice(at, end < at ? text.length : end)
      hide(part, spaces(part))
      at += part.length
    } else if (char === "'" || char === '"') {
      keep(char)
      at = hideTo(at + 1, endOfString(text, at + 1, char), char)
    } else if (char === '`') {
      keep(char)
      at = template(at + 1)
    } else if (char === '/' && !isOfTag(text, at) && expectsValue(bare)) {
      keep(char)
      at = hideTo(at + 1, endOfRegExp(text, at + 1), char)
    } else {
      const depth = depths.at(-1)
      keep(char)
      at++
      if (depth === undefined || (char !== '{' && char !== '}')) continue
      if (char === '{') depths[depths.length - 1] = depth + 1
      else if (depth > 0) depths[depths.length - 1] = depth - 1
      else {
        depths.pop()
        at = template(at)
      }
    }
  }
  return { code, bare }
}
