/**
 * The rules of the house, held by reading the tree (ARCHITECTURE.md: rules of dependence). Each rule comes with a planted
 * violation, so that it is known to be able to fail.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { schemaTables } from '../kit/database/schema.ts'
import { consoleRules as ownRules } from './safety/console.ts'
import { consoleLayers } from './safety/console-layers.ts'
import { familyRules, partNames } from './safety/families.ts'
import { importRules } from './safety/imports.ts'
import { namings, statementRules } from './safety/statements.ts'
import { styleRules } from './safety/style.ts'
import { readConsole, readSources, toSource } from './source.ts'

const consoleRules = [...ownRules, ...consoleLayers]
const rules = [...importRules, ...familyRules, ...statementRules, ...styleRules]

describe('the tree', () => {
  const sources = readSources()

  for (const { promise, check } of rules) {
    test(promise, () => assert.deepEqual(check(sources), []))
  }

  test('is read as it is: its imports are files that there are', () => {
    assert.ok(sources.length > 50)
    const paths = new Set(sources.map(({ path }) => path))
    const imports = sources.flatMap((source) => source.imports)
    assert.ok(imports.length > 300)
    const isOfConsole = (file: string) => file.startsWith('../console/')
    for (const { file } of imports) assert.ok(file === undefined || isOfConsole(file) || paths.has(file), file)
  })

  test('has a description: ARCHITECTURE.md says what each file of a family is for', () => {
    const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
    assert.deepEqual(
      [...partNames].filter((name) => !text.includes(`| \`${name}\``) && !text.includes(`\` \`${name}\``)),
      [],
    )
  })

  test('has its tables found: each is named by some statement', () => {
    // The statements that all kinds of resources share find the table of each in its spelling.
    const spelled = sources.flatMap(({ code }) =>
      [...code.matchAll(/\btype: '(\w+)',\s*path: '/g)].map(([, type]) => type!),
    )
    const named = new Set([...sources.flatMap((source) => namings(source).map(({ table }) => table)), ...spelled])
    for (const { name, columns } of schemaTables()) {
      assert.ok(named.has(name), name)
      assert.ok(columns.length > 1, name)
    }
  })
})

describe('the console', () => {
  const sources = readConsole()

  for (const { promise, check } of consoleRules) {
    test(promise, () => assert.deepEqual(check(sources), []))
  }

  test('is read as it is: its imports are files that there are', () => {
    const paths = new Set(sources.map(({ path }) => path))
    const own = sources.filter(({ path }) => path.startsWith('console/'))
    const files = own.flatMap(({ imports }) => imports.flatMap(({ file }) => file ?? []))
    assert.ok(own.length > 300 && files.length > 1_500)
    const isElsewhere = (file: string) => /^src\/|^console\/generated\/|\.(svg|js)$/.test(file)
    assert.deepEqual(
      files.filter((file) => !isElsewhere(file) && !paths.has(file)),
      [],
    )
  })
})

describe('every rule can fail', () => {
  for (const { promise, check, planted } of [...rules, ...consoleRules]) {
    test(promise, () => {
      for (const tree of planted) {
        const sources = Object.entries(tree).map(([path, text]) => toSource(path, text))
        assert.notDeepEqual(check(sources), [], JSON.stringify(tree))
      }
    })
  }
})

describe('the scanner', () => {
  test('takes no comment and no string for code', () => {
    const lines = ["// import { a } from '../b.ts'", 'const c = `x $(d({ e: `f` })) g`', "const h = /['`]/.test('i')"]
    const text = lines.join('\n').replace('$(', '${').replace('})) g', '})} g')
    const { bare, imports } = toSource('kernel/a.ts', text)
    assert.deepEqual(imports, [])
    const expected = ['', 'const c = `  $(d({ e: ` ` }))  `', "const h = /    /.test(' ')"].join('\n')
    assert.equal(bare.trimStart(), expected.replace('$(', '${').replace('}))  `', '})}  `').trimStart())
  })

  test('reads every form of import', () => {
    const text = [
      "import a, { type B, c as d } from './b.ts'",
      "import type { E } from '../families/e/f.ts'",
      "import { type G, type H } from './g.ts'",
      "import 'node:fs'",
      "export { i } from './i.ts'",
      "const j = await import('./j.ts')",
    ]
    const found = toSource('kernel/k.ts', text.join('\n')).imports
    assert.deepEqual(
      found.map(({ file, specifier, isTypeOnly }) => [file ?? specifier, isTypeOnly]),
      [
        ['kernel/b.ts', false],
        ['families/e/f.ts', true],
        ['kernel/g.ts', true],
        ['kernel/i.ts', false],
        ['node:fs', false],
        ['kernel/j.ts', false],
      ],
    )
    assert.deepEqual(found[0]!.names, ['a', 'B', 'c'])
  })
})
