/** Options of the hcloud command line with their values. */

/** An option with its value: lists repeat it, and what is true needs none. */
export function optionOf(flag: string, value: unknown): readonly string[] {
  if (value === true) return [flag]
  if (value === false) return [`${flag}=false`]
  if (Array.isArray(value)) return value.flatMap((one) => [flag, inList(String(one))])
  if (typeof value === 'object') {
    return Object.entries(value as Record<string, string>).flatMap(([key, one]) => [flag, `${key}=${one}`])
  }
  const text = String(value)
  return text.startsWith('-') ? [`${flag}=${text}`] : [flag, text]
}

/** An entry of an option that hcloud reads as a line of CSV. */
function inList(text: string): string {
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
}
