/**
 * The language of the console. Words are loaded in one language, before anything that has them is imported: an area is a
 * module such as `shell.ts` with a file of texts for each language, which waits until those of the page are there. Changing
 * the language loads the page again.
 */
export type Language = 'en' | 'de'

export const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'

/** Loads texts in the language of the page. A language that lacks some of the English ones does not compile. */
export function inLanguage<Words>(sources: {
  readonly en: () => Promise<Words>
  readonly de: () => Promise<NoInfer<Words>>
}): Promise<Words> {
  return sources[language]()
}
