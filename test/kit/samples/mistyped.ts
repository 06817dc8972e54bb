/** The text with another last character. */
export function mistyped(text: string): string {
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
}
