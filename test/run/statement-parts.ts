/** The parts of a statement in its normal form (ledger.ts). */

/** The words after which a list of conditions, assignments or columns ends. */
const next = ' (?:where|set|order by|group by|having|limit|offset|returning|union|on conflict)\\b'
const clauses = new RegExp(`\\b(where|set|order by) (.+?)(?=${next}|$)`, 'g')
const source = new RegExp(`\\b(?:from|update|into) (.+?)(?= (?:§\\d+§ values|on)\\b|${next}|$)`)

/**
 * A statement without its conditions, assignments and orders, and each of these with the tables that it is about. A
 * database that accepts all parts of a statement accepts the statement, in whichever combination a request asks for it.
 */
export function partsOf(statement: string): ReadonlySet<string> {
  const parts = new Set<string>()
  /** What parentheses contain, by the number that stands for them. */
  const groups: string[] = []
  const whole = (text: string): string =>
    text.replaceAll(/§(\d+)§/g, (_, at: string) => `(${whole(groups[Number(at)]!)})`)
  const itemsOf = (word: string, list: string): readonly string[] => {
    if (word !== 'where') return list.split(', ')
    return list
      .replaceAll(/ between (.+?) and /g, ' between $1 § ')
      .split(/ and | or /)
      .flatMap((condition) => {
        const group = /^§(\d+)§$/.exec(condition)
        return group ? itemsOf(word, groups[Number(group[1])]!) : [condition.replace(' § ', ' and ')]
      })
  }
  const frameOf = (text: string) => {
    const table = source.exec(text)?.[1] ?? ''
    const columns = /^insert into \w+ §(\d+)§/.exec(text)?.[1]
    for (const column of columns ? groups[Number(columns)]!.split(', ') : []) parts.add(`${table}: insert ${column}`)
    return text.replace(/^(insert into \w+) §\d+§/, '$1 …').replaceAll(clauses, (_, word: string, list: string) => {
      for (const item of itemsOf(word, list)) parts.add(whole(`${table}: ${word} ${item}`))
      return `${word} …`
    })
  }
  const frameOfAll = (text: string) =>
    text
      .split(/( union(?: all)? )/)
      .map(frameOf)
      .join('')
  let flat = statement
  for (let inner = innermost(flat); inner; inner = innermost(flat))
    flat = flat.replace(inner[0], () => `§${groups.push(frameOfAll(inner![1]!)) - 1}§`)
  parts.add(whole(frameOfAll(flat)))
  return parts
}

function innermost(text: string): RegExpExecArray | null {
  return /\(([^()]*)\)/.exec(text)
}
