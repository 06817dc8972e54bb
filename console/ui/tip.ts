/** The attributes of an element with a tip, which is shown on hover and on focus. */
export function tip(text: string, keys?: string): Record<string, string> {
  return { ...(text ? { 'data-tip': text } : {}), ...(keys ? { 'data-keys': keys } : {}) }
}
