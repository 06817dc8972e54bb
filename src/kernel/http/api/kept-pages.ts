/**
 * The JSON of lists, for lists that are sent again. Their entries are constants: the same objects as long as what was read
 * is the same, and others as soon as it is not. So a list with the same entries and the same numbers has the same JSON, and
 * nothing that is kept can be out of date.
 */
import { constantJson } from '../../contract/constant.ts'
import { keepsAnything } from '../../data/kept.ts'

/** Bounds of what is kept: characters of all pages together and of one, and pages that begin with the same entry. */
const mostCharacters = 4_000_000
const longestPage = 200_000
const mostAlike = 8

/** A list as its handler returns it. */
interface List {
  readonly name: string
  readonly entries: readonly object[]
  /** The reply, of which the rest comes with the list, such as the numbers of the page. */
  readonly reply: WireReply
}

type WireReply = Readonly<Record<string, unknown>>

interface KeptPage extends List {
  readonly text: string
}

/** Pages by their first entry. */
const pages = new Map<object, KeptPage[]>()
let characters = 0

/** The JSON of a reply that is a list and was sent before; undefined for any other one. */
export function keptPage(reply: unknown): string | undefined {
  const list = listIn(reply)
  return list && pages.get(list.entries[0]!)?.find((page) => isSame(page, list))?.text
}

/** Keeps the JSON of a reply where that is a list of nothing but constants. Returns it in a form that is fast to send. */
export function keepPage(reply: unknown, text: string): string {
  const list = text.length <= longestPage ? listIn(reply) : undefined
  if (!list?.entries.every((entry) => constantJson(entry) !== undefined)) return text
  if (characters + text.length > mostCharacters) {
    pages.clear()
    characters = 0
  }
  const [first] = list.entries as [object]
  const alike = pages.get(first) ?? []
  pages.set(first, alike)
  if (alike.length >= mostAlike) characters -= alike.shift()!.text.length
  // A text that was put together of others would be put together again each time that it is sent.
  const whole = Buffer.from(text).toString()
  // Nobody else has what is kept.
  const others = JSON.parse(JSON.stringify({ ...list.reply, [list.name]: null })) as WireReply
  alike.push({ name: list.name, entries: [...list.entries], reply: others, text: whole })
  characters += whole.length
  return whole
}

/** The list that a reply begins with; undefined unless its first entry is a constant. */
function listIn(reply: unknown): List | undefined {
  if (!isObject(reply) || !keepsAnything()) return undefined
  for (const name in reply) {
    const entries = (reply as WireReply)[name]
    if (!Array.isArray(entries) || !isObject(entries[0]) || constantJson(entries[0]) === undefined) return undefined
    return { name, entries, reply: reply as WireReply }
  }
  return undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isSame(a: List, b: List): boolean {
  if (a.entries.length !== b.entries.length || a.name !== b.name) return false
  return a.entries.every((entry, index) => entry === b.entries[index]) && isAlike(a.reply, b.reply, a.name)
}

/** Whether two values have the same JSON, but for a member of theirs that has been compared already. */
function isAlike(a: unknown, b: unknown, except?: string): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [some, others] = [Object.keys(a), Object.keys(b)]
  return (
    some.length === others.length &&
    some.every((key, index) => {
      if (key !== others[index]) return false
      return key === except || isAlike((a as WireReply)[key], (b as WireReply)[key])
    })
  )
}
