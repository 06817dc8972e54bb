/** The helpers in clients/, each with the usual library of its language. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { installGoModules, installPytest, type Outcome, run, skipWithout } from '../../clients/kit/clients.ts'
import { findJava } from '../../clients/kit/java.ts'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'

const helpers = join(import.meta.dirname, '../../../clients')

before(build)

/** Runs tests in a language twice: they start clouds of their own, or find that of `wolke exec`. */
async function runsTwice(
  t: TestContext,
  words: readonly string[],
  options: { env: Record<string, string>; cwd: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-helpers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // Package managers need the settings of the user, and nobody else's cloud may be met.
  const own = Object.entries(process.env).filter(([name]) => !/^WOLKE_|^HCLOUD_/.test(name)) as [string, string][]
  const env = { ...Object.fromEntries(own), ...options.env, TMPDIR: folder, WOLKE_BIN: `${process.execPath} ${bundle}` }
  const [program, ...args] = words as [string, ...string[]]
  const alone = await run(program, args, { ...options, env })
  const inExec = await run(process.execPath, [bundle, 'exec', '--', ...words], { ...options, env })
  assert.deepEqual(readdirSync(folder), [], 'nothing is left behind')
  return [alone, inExec] satisfies Outcome[]
}

describe('Helpers', { concurrency: 2 }, () => {
  test('give tests with pytest clouds of their own', async (t) => {
    const python = await installPytest()
    if (!python) return skipWithout(t, 'pytest cannot be installed')
    const words = [python, '-B', '-m', 'pytest', '-q', '-p', 'pytest_wolke', '-p', 'no:cacheprovider', '.']
    const options = { env: { PYTHONPATH: join(helpers, 'python') }, cwd: join(import.meta.dirname, 'python') }
    for (const { code, stdout, stderr } of await runsTwice(t, words, options)) {
      assert.equal(code, 0, stdout + stderr)
      assert.match(stdout, /^5 passed in /m)
    }
  })

  test('give tests with JUnit clouds of their own', async (t) => {
    const java = findJava()
    if (!java) return skipWithout(t, 'Java or JUnit is not installed')
    const classes = mkdtempSync(join(tmpdir(), 'wolke-java-'))
    t.after(() => rmSync(classes, { recursive: true }))
    const { code, stderr } = await java.compile(join(import.meta.dirname, 'java/ForkTest.java'), classes)
    assert.equal(code, 0, stderr)
    for (const { code, stdout, stderr } of await runsTwice(t, java.command('ForkTest', classes), {
      env: {},
      cwd: classes,
    })) {
      assert.equal(code, 0, stdout + stderr)
      assert.match(stdout, /^\[ +4 tests successful +\]$/m)
    }
  })

  test('give tests in Go clouds of their own', async (t) => {
    const cwd = join(import.meta.dirname, 'go')
    const go = await installGoModules(cwd)
    if (!go) return skipWithout(t, 'Go is not installed')
    // What was tested before is tested again.
    const words = [go, 'test', '-count=1', '-mod=readonly', '-v', './...']
    for (const { code, stdout, stderr } of await runsTwice(t, words, { env: {}, cwd })) {
      assert.equal(code, 0, stdout + stderr)
      assert.equal(stdout.match(/^--- PASS/gm)?.length, 4, stdout)
    }
  })
})
