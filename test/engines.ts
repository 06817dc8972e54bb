/** The databases that tests run on. */

const known = ['sqlite', 'postgres'] as const
export type EngineName = (typeof known)[number]

/** All of them, or those that WOLKE_TEST_DATABASES lists: tests on others are left out. */
export const engines: readonly EngineName[] = chosen(process.env.WOLKE_TEST_DATABASES)

/** Options of a test that needs PostgreSQL itself. */
export const onPostgres = engines.includes('postgres') ? {} : { skip: 'PostgreSQL is left out' }

function chosen(names: string | undefined): readonly EngineName[] {
  if (names === undefined) return known
  return names.split(',').map((name) => {
    const engine = known.find((one) => one === name)
    if (!engine) throw new Error(`WOLKE_TEST_DATABASES: '${name}' is none of ${known.join(', ')}`)
    return engine
  })
}
