/**
 * The look of the console: theme, density, language. It is in cookies, so that the server writes it into the page. The
 * account keeps theme and language as well, for the other browsers of its person.
 */
import { apiOf } from '../api/api.ts'
import type { BodyFor } from '../api/operations.ts'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { shell as w } from '../words/shell.ts'
import { type Language, language } from '../words/words.ts'

type Theme = keyof typeof w.themes
type Density = keyof typeof w.densities

const year = 365 * 86_400

function remember(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, and CookieStore needs a secure page
  document.cookie = `wolke_${name}=${value}; Path=/console; Max-Age=${year}; SameSite=Lax`
}

function current<Name extends string>(key: string, standard: Name): Name {
  return (document.documentElement.dataset[key] as Name | undefined) ?? standard
}

function choose(key: string, value: string, standard: string): void {
  if (value === standard) delete document.documentElement.dataset[key]
  else document.documentElement.dataset[key] = value
  remember(key, value)
}

export function setTheme(theme: Theme): void {
  choose('theme', theme, 'system')
}

export function setDensity(density: Density): void {
  choose('density', density, 'normal')
}

export function currentDensity(): Density {
  return current<Density>('density', 'normal')
}

export function setLanguage(next: Language): void {
  remember('language', next)
  window.location.reload()
}

/** Keeps a choice in the account. It counts here even if that fails; tokens that opened a session have no account. */
async function keep(choice: BodyFor<'people_updateAccount'>): Promise<void> {
  const api = apiOf(undefined)
  const { whoami } = await api.call('management_whoami', {})
  if (whoami.kind === 'person') await api.call('people_updateAccount', { body: choice })
}

export function themeEntries(): MenuEntry[] {
  return (Object.entries(w.themes) as [Theme, string][]).map(([key, label]) => ({
    key,
    label,
    isChosen: current<Theme>('theme', 'system') === key,
    onSelect: () => {
      setTheme(key)
      keep({ theme: key }).catch(() => undefined)
    },
  }))
}

export function densityEntries(): MenuEntry[] {
  return (Object.entries(w.densities) as [Density, string][]).map(([key, label]) => ({
    key,
    label,
    isChosen: currentDensity() === key,
    onSelect: () => setDensity(key),
  }))
}

export function lookEntries(): MenuEntry[] {
  return [...themeEntries(), 'line', ...densityEntries()]
}

const languages: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

export function languageEntries(): MenuEntry[] {
  return (Object.entries(languages) as [Language, string][]).map(([key, label]) => ({
    key,
    label,
    isChosen: language === key,
    onSelect: () =>
      void keep({ language: key })
        .catch(() => undefined)
        .then(() => setLanguage(key)),
  }))
}
