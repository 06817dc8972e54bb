/** What the console knows of a family of which it has no more than a slice. Runs in a copy of the tree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hcloud } from '../../console/generated/hcloud.ts'
import { names } from '../../console/generated/names.de.ts'

// Modules of the console ask the page that they are on for its language.
Object.assign(globalThis, {
  document: { documentElement: { lang: 'de' } },
  window: { addEventListener: () => {} },
  addEventListener: () => {},
})
const { families, familyOfList, familyOfType, familyPages, pageOf } = (await import(
  new URL('../../console/families.ts', import.meta.url).href
)) as {
  readonly families: Readonly<Record<string, { readonly label: string; readonly pages: { readonly list: string } }>>
  readonly familyPages: readonly { readonly options: { readonly path: string } }[]
  familyOfList(operation: string): string | undefined
  familyOfType(type: string): string | undefined
  pageOf(family: string, one: { readonly id: number; readonly name: string }): unknown
}

test('the console lists it, by its name in the language of the page', () => {
  assert.equal(families.glossaries?.label, 'Glossare')
  assert.equal(families.glossaries.pages.list, '/projects/$project/glossaries')
  assert.ok(familyPages.some(({ options }) => options.path === '/glossaries'))
})

test('feeds, links and commands find it', () => {
  assert.equal(familyOfList('glossaries_list'), 'glossaries')
  assert.equal(familyOfType('glossary'), 'glossaries')
  assert.deepEqual(pageOf('glossaries', { id: 7, name: 'terms' }), {
    to: '/projects/$project/glossaries',
    search: { q: 'terms' },
  })
  assert.equal(names.glossaries.type, 'Glossar')
  assert.equal(typeof hcloud.glossaries.publish, 'object')
})
