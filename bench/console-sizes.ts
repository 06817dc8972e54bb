/** The build of the console reports its own sizes. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Row } from './report.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The sizes that the build limits, and the largest of the further pages. */
export async function sizes(): Promise<Row[]> {
  rmSync(join(root, 'dist/.digest-console'), { force: true })
  const env = { ...process.env, WOLKE_CONSOLE_SIZES: '1' }
  const { stdout } = await run(process.execPath, ['build.mjs'], { cwd: root, env })
  const found = [...stdout.matchAll(/^(.+): ([\d.]+) kB of ([\d.]+)$/gm)].map(([, what = '', is, most]) => ({
    what,
    is: Number(is),
    most: Number(most),
  }))
  const pages = found.filter(({ what }) => what.startsWith('/')).sort((a, b) => b.is - a.is)
  const parts = [...found.filter(({ what }) => !what.startsWith('/')), ...pages.slice(0, 1)]
  if (parts.length < 4) throw new Error('the build of the console did not say its sizes')
  return parts.map(({ what, is, most }) => ({
    name: `console: ${what.startsWith('/') ? `largest further page, ${what}` : `${what}, gzip`}`,
    unit: 'kB',
    wolke: is,
    bar: { text: `<= ${most} kB`, met: is <= most },
  }))
}
