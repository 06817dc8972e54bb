/**
 * The language of the console. English comes along with the code that uses it; another language is loaded once, before
 * anything that has words is imported. Changing it loads the page again.
 */
import type { en } from './en.ts'

/** All texts, by area. A language that lacks one does not compile. */
export type Words = typeof en
export type Language = 'en' | 'de'

let translated: Words | undefined

export const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'

export async function loadWords(): Promise<void> {
  if (language === 'de') translated = (await import('./de.ts')).de
}

/** The texts of an area in the language of the page. */
export function wordsOf<Area extends keyof Words>(area: Area, english: Words[Area]): Words[Area] {
  return translated?.[area] ?? english
}
