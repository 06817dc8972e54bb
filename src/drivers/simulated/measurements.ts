/** What would be measured of what is simulated: plausible, and always the same for the same moment. */

/** A server got power, or lost it, at a moment in milliseconds since the epoch. */
export interface PowerChange {
  readonly atMs: number
  readonly power: 'on' | 'off'
}

/** Typical values of each series, by the end of its name, while a server runs, for each of its cores. */
const typical: Readonly<Record<string, number>> = {
  cpu: 12,
  'iops.read': 6,
  'iops.write': 14,
  'bandwidth.read': 90_000,
  'bandwidth.write': 240_000,
  'pps.in': 45,
  'pps.out': 38,
  'bandwidth.in': 21_000,
  'bandwidth.out': 64_000,
}

const dayS = 86_400

/** Values by moment in seconds: nothing before the server was there, 0 without power. */
export function measuredOf(
  server: { readonly id: number; readonly cores: number; readonly changes: readonly PowerChange[] },
  series: string,
  moments: readonly number[],
): Map<number, number> {
  const values = new Map<number, number>()
  const usual = server.cores * (typical[series.split('.').slice(-2).join('.')] ?? 1)
  for (const moment of moments) {
    const power = server.changes.findLast(({ atMs }) => atMs <= moment * 1_000)?.power
    if (power === undefined) continue
    values.set(moment, usualAt(`${server.id} ${series}`, power === 'on' ? usual : 0, moment))
  }
  return values
}

/** A value around the usual one, with three decimals. */
export function usualAt(key: string, usual: number, moment: number): number {
  return Math.round(usual * valueAt(key, moment) * 1_000) / 1_000
}

/** From about 0.3 to 1.7: more by day than by night, with a noise of its own for each series. */
function valueAt(key: string, moment: number): number {
  const day = 1 - 0.4 * Math.cos((2 * Math.PI * (moment % dayS)) / dayS)
  return day + 0.6 * (noise(`${key} ${moment}`) - 0.5)
}

/** From 0 to 1, from the text alone (FNV-1a, and a finish that spreads it). */
function noise(text: string): number {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}
