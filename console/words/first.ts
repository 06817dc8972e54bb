/** The areas of words that the first page needs. The start loads them together, before anything that has words. */
import { inLanguage } from './words.ts'

type First = typeof import('./en/first.ts')

let words: First | undefined

export async function loadFirst(): Promise<void> {
  words = await inLanguage({ en: () => import('./en/first.ts'), de: () => import('./de/first.ts') })
}

/** The words that are loaded; code that asks for them is imported after the start has them. */
export function first(): First {
  return words!
}
