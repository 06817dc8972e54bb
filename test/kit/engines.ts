/** The database engines that tests run on. */

const known = ['sqlite', 'postgres'] as const
export type EngineName = (typeof known)[number]

/** All engines, or those listed in WOLKE_TEST_DATABASES; tests on others are skipped. */
export const engines: readonly EngineName[] = chosen(process.env.WOLKE_TEST_DATABASES)

/** Options of a test that needs PostgreSQL. */
export const onPostgres: { readonly skip?: string } = engines.includes('postgres')
  ? {}
  : { skip: 'PostgreSQL is left out' }

function chosen(names: string | undefined): readonly EngineName[] {
  if (names === undefined) return known
  return names.split(',').map((name) => {
    const engine = known.find((one) => one === name)
    if (!engine) throw new Error(`WOLKE_TEST_DATABASES: '${name}' is none of ${known.join(', ')}`)
    return engine
  })
}

/** On this channel of diagnostics the harness tells that it starts an installation: each costs as much as many requests. */
export const installationChannel = 'wolke:installation'
