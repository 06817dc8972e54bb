/** Durations as testers write them. */

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** Reads a duration such as `90s`, `1h30m` or `30d`, in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,7})d)?(?:(\d{1,7})h)?(?:(\d{1,7})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/.exec(text)
  if (!match || text === '') return undefined
  return Object.values(units).reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0)
}
