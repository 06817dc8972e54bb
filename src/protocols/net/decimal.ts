/** Exact arithmetic on decimal strings, such as prices. */

/** A number of units of which there are ten to the power of `digits` in one. */
interface Decimal {
  readonly units: bigint
  readonly digits: number
}

/** Throws a RangeError for what is no plain decimal. */
function read(text: string): Decimal {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) throw new RangeError(`${JSON.stringify(text)} is no decimal`)
  const [, whole = '', part = ''] = match
  return { units: BigInt(whole + part), digits: part.length }
}

function print({ units, digits }: Decimal): string {
  const text = units.toString().padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** The sum, with as many decimals as the longest one; `0` of nothing. */
export function sum(texts: readonly string[]): string {
  const all = texts.map(read)
  const digits = Math.max(0, ...all.map((one) => one.digits))
  const units = all.reduce((total, one) => total + one.units * 10n ** BigInt(digits - one.digits), 0n)
  return print({ units, digits })
}

/** A whole multiple, with as many decimals. */
export function times(text: string, count: number): string {
  const { units, digits } = read(text)
  return print({ units: units * BigInt(count), digits })
}

/** Returns a percentage of an amount, with no digit lost. */
export function percentOf(text: string, percent: string): string {
  const [amount, part] = [read(text), read(percent)]
  return print({ units: amount.units * part.units, digits: amount.digits + part.digits + 2 })
}

export function isLess(one: string, other: string): boolean {
  const [a, b] = [read(one), read(other)]
  return a.units * 10n ** BigInt(b.digits) < b.units * 10n ** BigInt(a.digits)
}

/** Rounds half up to so many decimals, for people to read. */
export function rounded(text: string, digits: number): string {
  const { units, digits: all } = read(text)
  if (all <= digits) return print({ units: units * 10n ** BigInt(digits - all), digits })
  const step = 10n ** BigInt(all - digits)
  return print({ units: (units + step / 2n) / step, digits })
}
