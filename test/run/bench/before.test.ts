/** What `npm run bench -- --check` compares with, in small repositories. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildBefore, commitBefore } from '../../../bench/check/before.ts'
import { figuresOf, keepFigures } from '../../../bench/check/figures.ts'
import { Refusal } from '../../../bench/options.ts'

/** A repository whose build copies a source and what was made of others before, and commands in it. */
function newTree(t: { after(end: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-bench-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const tree = join(folder, 'tree')
  mkdirSync(join(tree, 'src'), { recursive: true })
  mkdirSync(join(tree, 'console/generated'), { recursive: true })
  mkdirSync(join(tree, 'dist'))
  mkdirSync(join(tree, 'node_modules'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: tree,
      encoding: 'utf8',
    }).trim()
  const write = (path: string, text: string) => writeFileSync(join(tree, path), text)
  const commit = (program: string, lock = '{}') => {
    write('src/main.js', program)
    write('dist/main.js', program)
    write('package-lock.json', lock)
    git('add', '.')
    git('commit', '--quiet', '--message', program)
    return git('rev-parse', 'HEAD')
  }
  write('.gitignore', 'dist/\nnode_modules\nconsole/generated/\n')
  write('console/generated/tables.js', '')
  const copies = [
    `copyFileSync('src/main.js', 'dist/main.js')`,
    `copyFileSync('console/generated/tables.js', 'dist/tables.js')`,
  ]
  write('build.mjs', [`import { copyFileSync } from 'node:fs'`, ...copies].join('\n'))
  write('dist/tables.js', '')
  git('init', '--quiet')
  return { folder, tree, git, write, commit }
}

test('compares with the commit before, and changed sources with the commit that is checked out', async (t) => {
  const { tree, write, commit } = newTree(t)
  const first = commit('one')
  const second = commit('two')
  assert.deepEqual(await commitBefore(tree), { commit: first, says: `compared with ${first.slice(0, 7)} one` })
  write('README.md', 'changed')
  assert.equal((await commitBefore(tree)).commit, first)
  write('src/main.js', 'three')
  assert.equal((await commitBefore(tree)).commit, second)
  assert.equal((await commitBefore(tree, first)).commit, first)
  await assert.rejects(commitBefore(tree, 'nowhere'), Refusal)
})

test('tells a first commit from a clone without history and from no clone at all', async (t) => {
  const { folder, tree, git, commit } = newTree(t)
  commit('one')
  const { commit: none, says } = await commitBefore(tree)
  assert.equal(none, undefined)
  assert.match(says, /first commit/)
  commit('two')
  const shallow = join(folder, 'shallow')
  git('clone', '--quiet', '--depth', '1', pathToFileURL(tree).href, shallow)
  await assert.rejects(commitBefore(shallow), /git fetch --deepen=1/)
  await assert.rejects(commitBefore(folder), /no clone of git/)
})

test('builds the commit before beside the tree, and says what it cannot compare', async (t) => {
  const { folder, tree, git, write, commit } = newTree(t)
  const build = (commit: string) => {
    const place = mkdtempSync(join(folder, 'before-'))
    return buildBefore(tree, commit, place)
  }
  const first = commit('one')
  const second = commit('two')
  const { program, says } = await build(first)
  assert.equal(readFileSync(program!, 'utf8'), 'one')
  assert.deepEqual(says, [])
  assert.equal(readFileSync(join(tree, 'dist/main.js'), 'utf8'), 'two')
  const same = await build(second)
  assert.deepEqual([same.program, same.says], [undefined, ['its program is the same: there is nothing to compare']])
  commit('three', '{"other":true}')
  const other = await build(second)
  assert.equal(readFileSync(other.program!, 'utf8'), 'two')
  assert.match(other.says.join(), /libraries are others/)
  write('build.mjs', 'process.exit(1)')
  git('add', '.')
  const broken = commit('four', '{"other":true}')
  await assert.rejects(build(broken))
  commit('five', '{"another":true}')
  const lost = await build(broken)
  assert.equal(lost.program, undefined)
  assert.match(lost.says.join(), /nothing was compared/)
})

test('keeps figures by class of machine', (t) => {
  const { folder } = newTree(t)
  const file = join(folder, 'figures.json')
  writeFileSync(file, '{}')
  assert.equal(figuresOf(file, '2 x some'), undefined)
  keepFigures(file, '2 x some', { GET: 3.24159, POST: 12.3456 })
  keepFigures(file, '4 x other', { GET: 2 })
  keepFigures(file, '2 x some', { GET: 3.5 })
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { '2 x some': { GET: 3.5 }, '4 x other': { GET: 2 } })
  assert.deepEqual(figuresOf(file, '4 x other'), { GET: 2 })
})
