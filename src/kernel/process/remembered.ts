/** What functions have made of the latest texts, for functions of nothing but a text that are asked for the same ones again. */

/** So many results of each function are remembered. */
const mostResults = 500
/** Longer texts would take more room than they save time. */
const longestText = 2_000

/** The same function, which remembers. Callers get the same result again, and must not change it. */
export function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (text.length > longestText) return made
    if (known.size >= mostResults) known.clear()
    known.set(text, made)
    return made
  }
}
