/**
 * A family that nobody has heard of (planted/) is put into a copy of the tree: its folder, its slice of the console, a
 * simulated driver, a migration and a few lines. All that walks over families finds it then, though it has a root of its own and a plural that
 * is no type and an s.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const copied = ['api', 'attack', 'bench', 'console', 'package.json', 'scripts', 'src', 'test', 'tsconfig.json']

/** The lines that a family takes outside of its own files, each with the text before which it is put. */
const lines: readonly (readonly [file: string, before: string, line: string])[] = [
  ['src/families.ts', 'import { images }', "import { glossaries } from './families/glossaries/family.ts'\n"],
  [
    'src/families.ts',
    'import { simulateImages }',
    "import { simulateGlossaries } from './drivers/simulated/glossaries.ts'\n",
  ],
  ['src/families.ts', '  { family: images,', '  { family: glossaries, simulate: simulateGlossaries },\n'],
]

/** The same for the list of migrations, to which everything appends that has a table. */
const migrating: typeof lines = [
  ['src/migrations/list.ts', 'export { kernel as', "export { glossaries as m9999 } from './9999-glossaries.ts'\n"],
]

const run = promisify(execFile)

/** Runs a module of the copy; fails with what it says. */
async function runIn(folder: string, module: string): Promise<void> {
  // The tests inside are no part of this run.
  const { NODE_TEST_CONTEXT: _, PATH, ...others } = process.env
  const env = { ...others, PATH: `${join(root, 'node_modules/.bin')}:${PATH}` }
  await run(process.execPath, [module], { cwd: folder, env }).catch((error: { stdout: string; stderr: string }) =>
    assert.fail(`${module}\n${error.stdout}${error.stderr}`),
  )
}

function plant(folder: string): void {
  for (const part of copied) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'test/laws/planted'), folder, { recursive: true })
  for (const [file, before, line] of [...lines, ...migrating]) {
    const text = readFileSync(join(folder, file), 'utf8')
    assert.equal(text.split(before).length, 2, `${file} has '${before}' once`)
    writeFileSync(
      join(folder, file),
      text.replace(before, () => line + before),
    )
  }
}

test('a family takes its own files and three lines, and everything that walks over families finds it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-planted-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  assert.ok(lines.length <= 3)
  plant(folder)
  await Promise.all(['scripts/console-tables.ts', 'scripts/openapi.ts'].map((script) => runIn(folder, script)))
  await Promise.all(['test/kit/glossaries.ts', 'test/kit/glossaries-in-console.ts'].map((test) => runIn(folder, test)))
  await runIn(folder, 'scripts/check-console.ts')
})
