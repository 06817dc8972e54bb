/**
 * A number as a request says it. What is no number is sent as it was typed, so that the API says what is wrong with it: as
 * `NaN` it would become `null`, which often means "as usual".
 */
export function typedNumber(text: string): number {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) ? value : (text.trim() as unknown as number)
}
