/**
 * The language of the console. Words are loaded in one language, before anything that has them is imported: those of the
 * first page by the start, those of an area by the code that uses it (`languages` in vite.config.ts). Changing the
 * language loads the page again.
 */
import type { en } from './en.ts'

/** All texts, by area. A language that lacks one does not compile. */
export type Words = typeof en
export type Language = 'en' | 'de'

const loaded: Partial<Words> = {}

export const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'

type Sources = Readonly<Record<Language, () => Promise<Partial<Words>>>>

/** The words of the first page. */
export function loadWords(): Promise<void> {
  return loadFrom({ en: () => import('./en/first.ts'), de: () => import('./de/first.ts') })
}

export async function loadFrom(sources: Sources): Promise<void> {
  Object.assign(loaded, await sources[language]())
}

/** The texts of an area in the language of the page. */
export function wordsOf<Area extends keyof Words>(area: Area, english: Words[Area]): Words[Area] {
  return loaded[area] ?? english
}
