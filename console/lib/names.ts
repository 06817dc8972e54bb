/** Names of many things at once, such as `web-{1..5}`, and the next name after those that are there. */

/** Most names that one pattern stands for. */
const mostNames = 50

type Names =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly problem: 'too many' | 'backwards' }

const range = /\{(\d{1,6})\.\.(\d{1,6})\}/

/** The names that a pattern stands for; a text without a range stands for itself. Leading zeros stay: `{08..10}`. */
export function expandNames(pattern: string): Names {
  const match = range.exec(pattern)
  if (!match) return { ok: true, names: [pattern] }
  const [found, first = '', last = ''] = match
  const count = Number(last) - Number(first) + 1
  if (count < 1) return { ok: false, problem: 'backwards' }
  if (count > mostNames) return { ok: false, problem: 'too many' }
  const width = first.startsWith('0') || last.startsWith('0') ? Math.max(first.length, last.length) : 0
  const [before, after] = [pattern.slice(0, match.index), pattern.slice(match.index + found.length)]
  const names: string[] = []
  for (let number = Number(first); number <= Number(last); number++) {
    const rest = expandNames(after)
    if (!rest.ok) return rest
    names.push(...rest.names.map((end) => before + String(number).padStart(width, '0') + end))
    if (names.length > mostNames) return { ok: false, problem: 'too many' }
  }
  return { ok: true, names }
}

/**
 * A name for the next thing: the last name with its number counted on, past all that are taken. `names` are in the order
 * in which they were made.
 */
export function nextName(names: readonly string[], fallback: string): string {
  const last = names.at(-1)
  if (last === undefined) return fallback
  const [, start = '', digits = ''] = /^(.*?)(\d*)$/s.exec(last)!
  const prefix = digits === '' ? `${start}-` : start
  const numbers = names.flatMap((name) => {
    const end = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return /^\d{1,9}$/.test(end) ? [Number(end)] : []
  })
  // What has no number counts as the first.
  const next = Math.max(1, ...numbers) + 1
  return prefix + String(next).padStart(digits.startsWith('0') ? digits.length : 0, '0')
}
