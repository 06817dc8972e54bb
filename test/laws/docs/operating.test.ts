/** Each block of the pages for operators is carried out by a test, or says in the source of its page why it is not. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Block, blocksIn, blocksOf, hasLine, pages, textOf } from '../../operating/kit/pages.ts'

const root = join(import.meta.dirname, '../../..')

/** Why blocks are not run; a new reason is a decision. */
const reasons = ['needs a cluster of Kubernetes', 'needs a container engine', 'needs a registry']

/** What tests carry out: whole pages, and blocks by the beginning of a line. */
interface Claims {
  readonly pages: ReadonlySet<string>
  readonly blocks: readonly { readonly page: string; readonly beginning: string }[]
}

function claimsOf(sources: readonly string[]): Claims {
  const whole = sources.flatMap((text) => [...text.matchAll(/\bfollow\('([\w-]+\.md)'/g)].map(([, page]) => page!))
  const blocks = sources.flatMap((text) =>
    [...text.matchAll(/\bblock\('([\w-]+\.md)', '([^']+)'\)/g)].map(([, page, beginning]) => {
      return { page: page!, beginning: beginning! }
    }),
  )
  return { pages: new Set(whole), blocks }
}

/** The blocks that nobody carries out and that give no reason. */
function forgotten(blocks: readonly Block[], claims: Claims): Block[] {
  const isClaimed = (one: Block) =>
    claims.pages.has(one.page) ||
    claims.blocks.some(({ page, beginning }) => page === one.page && hasLine(one, beginning))
  return blocks.filter((one) => one.notRun === undefined && !isClaimed(one))
}

const tests = globSync('test/{operating,packages,program,clients,dns}/**/*.ts', { cwd: root })
const claims = claimsOf(tests.map((path) => readFileSync(join(root, path), 'utf8')))
const all = pages.flatMap(blocksOf)

test('every block is carried out by a test, or says why it is not', () => {
  assert.ok(all.length > 40)
  assert.deepEqual(forgotten(all, claims), [])
})

test('every block that a test names is there, once', () => {
  for (const page of claims.pages) assert.ok(blocksOf(page).length > 0, page)
  for (const { page, beginning } of claims.blocks)
    assert.equal(blocksOf(page).filter((one) => hasLine(one, beginning)).length, 1, `${page}: ${beginning}`)
})

test('every block says its language, and only known reasons keep one from being run', () => {
  for (const { page, language, text } of all) assert.notEqual(language, '', `${page}:\n${text}`)
  for (const page of pages) assert.equal(textOf(page).match(/^ *```/gm)?.length ?? 0, 2 * blocksOf(page).length, page)
  const given = new Set(all.flatMap(({ notRun }) => notRun ?? []))
  assert.deepEqual([...given].sort(), reasons)
})

test('a block that nobody runs is found, and so is a claim', () => {
  const blocks = blocksIn(
    'a.md',
    'x\n```sh\none\n```\n- ```sh\n\n  ```sh\n  two\n  ```\n```sh not-run="no"\nthree\n```\n',
  )
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['one\n', 'two\n', 'three\n'],
  )
  const found = (source: string) => forgotten(blocks, claimsOf([source])).map(({ text }) => text)
  assert.deepEqual(found(''), ['one\n', 'two\n'])
  assert.deepEqual(found("block('a.md', 'tw')"), ['one\n'])
  assert.deepEqual(found("follow('a.md', machine)"), [])
})

test('the index leads to every page, and none is longer than 250 lines', () => {
  const index = textOf('README.md')
  for (const page of pages) {
    if (page !== 'README.md') assert.ok(index.includes(`(${page})`), page)
    assert.ok(textOf(page).split('\n').length <= 251, page)
  }
})
