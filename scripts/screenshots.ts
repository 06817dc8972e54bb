/**
 * Takes pictures of every page of the console in every state, in both themes, wide and narrow, into screenshots/. Names
 * given as arguments choose states by how they begin; `docs` takes the pictures of docs/pictures/ instead.
 */
import { globSync, mkdirSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const wanted = process.argv.slice(2)
const isForDocs = wanted[0] === 'docs'
for (const folder of ['screenshots', 'docs/pictures']) mkdirSync(folder, { recursive: true })
process.env.WOLKE_TEST_DATABASES = 'sqlite'
process.env.WOLKE_CONSOLE_SCREENSHOTS = new URL('../screenshots/', import.meta.url).pathname
if (wanted.length > 0 && !isForDocs) process.env.WOLKE_CONSOLE_STATES = wanted.join(',')
/** The types of Node.js do not know the global setup yet. */
const options: Parameters<typeof run>[0] & { readonly globalSetupPath: string } = {
  files: isForDocs ? ['scripts/pictures.ts'] : globSync('test/console/every-state/*.test.ts'),
  globalSetupPath: 'test/run/global-setup.ts',
}
run(options)
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
