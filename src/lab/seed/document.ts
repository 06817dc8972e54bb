/** Seed files as text: YAML, of which each field is found again. */
import { isMap, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { isStorable } from '../../kernel/contract/input.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { mostText } from './contract.ts'

export interface Document {
  readonly value: unknown
  /** The line, from 1, of a field such as `projects[0].servers[1].name`, or of what is around it when it is missing. */
  lineOf(field: string): number
}

/** Parses a file. Errors: `invalid_input` of the field `yaml`, with the line. */
export function parseSeed(text: string): Document {
  if (text.length > mostText) throw refused(`must not have more than ${mostText} characters`)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const [error] = document.errors
  if (error) throw refused(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
  return {
    value: plain(() => document.toJS()),
    lineOf: (field) => lines.linePos(placeOf(document.contents, segmentsOf(field))).line,
  }
}

const refused = (message: string) => invalidInput([{ field: 'yaml', message }], `invalid YAML: ${message}`)

/** A value as JSON has it. Aliases are followed as long as they do not multiply. */
function plain(read: () => unknown): unknown {
  try {
    const value: unknown = JSON.parse(JSON.stringify(read()) ?? 'null')
    checkTexts(value, 0)
    return value
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError || error instanceof TypeError)
      throw refused(error.message)
    throw error
  }
}

const mostDepth = 32

function checkTexts(value: unknown, depth: number): void {
  if (depth > mostDepth) throw new RangeError(`must not be nested more than ${mostDepth} deep`)
  if (typeof value === 'string' && !isStorable(value)) throw new TypeError('text has a NUL or half a surrogate pair')
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new TypeError("the key '__proto__' is not allowed")
    checkTexts(key, depth)
  }
  for (const one of Object.values(value)) checkTexts(one, depth + 1)
}

const segmentsOf = (field: string) => [...field.matchAll(/[^.[\]]+/g)].map(([segment]) => segment)

/** The position at which a field begins, or the innermost that is there of what leads to it. */
function placeOf(root: ParsedNode | null, segments: readonly string[]): number {
  let [node, start] = [root, root?.range[0] ?? 0]
  for (const segment of segments) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String((key as { value?: unknown }).value ?? key) === segment)
      if (!pair) return start
      start = (pair.key as ParsedNode).range?.[0] ?? start
      node = pair.value as ParsedNode | null
    } else if (isSeq(node) && /^\d+$/.test(segment)) {
      node = (node.items[Number(segment)] as ParsedNode | undefined) ?? null
      start = node?.range[0] ?? start
    } else return start
  }
  return start
}
