/** Answers say in a header what was injected into them. */

/** The header that names the rules which have hit a request. */
export const injectedHeader = 'wolke-injected'

/** Clients refuse headers that are much longer. */
const mostShown = 100

/** Its value: the names of rules, as many of them as clients take. */
export function shown(names: readonly string[]): string {
  const more = names.length - mostShown
  return [...names.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
