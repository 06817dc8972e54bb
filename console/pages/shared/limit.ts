/** The limit of a kind in a Project, as people write it. */

/** The limit of the installation, which Projects without one of their own have. */
export const standard = 'default'

/** The value of what was written: empty is no limit; undefined is what is no limit at all. */
export function limitOf(text: string): number | null | typeof standard | undefined {
  const asked = text.trim()
  if (asked === '') return null
  if (asked === standard) return standard
  return /^\d{1,9}$/.test(asked) ? Number(asked) : undefined
}
