/** Browsers and systems in the words that browsers send about themselves. */

const browsers = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Opera', /OPR\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
] as const

const systems = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Windows', /Windows/],
  ['Linux', /Linux|X11/],
] as const

/** Undefined for what is no browser that is known. */
export function browserOf(agent: string): { readonly browser: string; readonly system: string } | undefined {
  const browser = browsers.find(([, pattern]) => pattern.test(agent))?.[0]
  const system = systems.find(([, pattern]) => pattern.test(agent))?.[0]
  return browser && system ? { browser, system } : undefined
}
