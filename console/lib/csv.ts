/** Tables as CSV (RFC 4180). */

type Value = string | number | null | undefined

export function toCsv(titles: readonly string[], lines: readonly (readonly Value[])[]): string {
  return [titles, ...lines].map((line) => `${line.map(toField).join(',')}\r\n`).join('')
}

/** A field that no spreadsheet takes for a formula. */
function toField(value: Value): string {
  const text = String(value ?? '')
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
