/** Whatever the API names with words of its own has words of people in every language of the console. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { names as german } from '../../console/words/de/names.ts'
import { names as english } from '../../console/words/en/names.ts'
import type { Names } from '../../console/words/slice.ts'
import { readSources } from '../laws/source.ts'

/** The commands that the contract lists, by the row of the operations that start them. */
function commandsOfContract(): string[] {
  const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8')
  const [, table = ''] = /\| operation \| command \| resources \|\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? []
  return table
    .trimEnd()
    .split('\n')
    .flatMap((row) => {
      const [, operations = '', commands = ''] = row.split('|')
      const spelled = [...commands.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
      const same = /the same names/.test(commands) ? operations.split(':')[1]!.match(/\w+_\w+/g) : null
      return [...spelled, ...(same ?? [])]
    })
}

/** Those that definitions of actions have in the sources. */
function commandsOfSources(): string[] {
  const patterns = [/\bcommand: '(\w+_\w+)'/g, /defineRecord\('\w+', '(\w+)'\)/g, /actOnZone\(db, call, '(\w+)'/g]
  return readSources()
    .filter(({ path }) => path.startsWith('families/'))
    .flatMap(({ path }) => {
      const text = readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8')
      return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!))
    })
}

const slices = new URL('../../console/families/', import.meta.url).pathname

/** All names in a language, as pairs of what the API and what people say. */
async function namesIn(language: 'en' | 'de', common: typeof english) {
  const modules = await Promise.all(
    globSync(`*/names.${language}.ts`, { cwd: slices }).map((file) => import(slices + file)),
  )
  const ofSlices = modules.map(({ names }): Names => names)
  assert.ok(ofSlices.length > 15)
  return {
    commands: { ...common.commands, ...Object.assign({}, ...ofSlices.map(({ commands }) => commands)) },
    others: { ...common.families, ...ofSlices.flatMap(({ family, type = family }) => [family, type]) },
  }
}

describe('the names of the API in the console', async () => {
  const [en, de] = await Promise.all([namesIn('en', english), namesIn('de', german)])

  it('have words for every command of an action', () => {
    const [ofContract, ofSources] = [commandsOfContract(), commandsOfSources()]
    assert.ok(ofContract.length > 60 && ofSources.length > 20, `${ofContract.length} and ${ofSources.length} commands`)
    assert.deepEqual(
      [...new Set([...ofContract, ...ofSources])].filter((command) => !(command in en.commands)),
      [],
    )
  })

  it('are words of people, not names with the underscores taken out', () => {
    const all = [en, de].flatMap(({ commands, others }) => Object.entries({ ...commands, ...others }))
    for (const [name, word] of all) assert.doesNotMatch(word as string, /_|rrset|zonefile/i, name)
    assert.deepEqual(Object.keys(de.commands).sort(), Object.keys(en.commands).sort())
    for (const [name, word] of Object.entries(de.commands)) assert.notEqual(word, en.commands[name])
  })
})
