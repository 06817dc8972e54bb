/** Whatever the API names with words of its own has words of people in every language of the console. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { actions } from '../../console/words/en/actions.ts'
import { names } from '../../console/words/en/names.ts'
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

describe('the names of the API in the console', () => {
  it('have words for every command of an action', () => {
    const [ofContract, ofSources] = [commandsOfContract(), commandsOfSources()]
    assert.ok(ofContract.length > 60 && ofSources.length > 20, `${ofContract.length} and ${ofSources.length} commands`)
    assert.deepEqual(
      [...new Set([...ofContract, ...ofSources])].filter((command) => !(command in actions.commands)),
      [],
    )
  })

  it('are words of people, not names with the underscores taken out', () => {
    const english = Object.entries({ ...names.families, ...names.types, ...actions.commands })
    const files = ['actions', 'names'].map((area) => new URL(`../../console/words/de/${area}.ts`, import.meta.url))
    const text = files.map((file) => readFileSync(file, 'utf8')).join('')
    const german = [...text.matchAll(/^ {4}(\w+): '(.+)',$/gm)].map(([, name, word]) => [name!, word!] as const)
    assert.ok(german.length >= english.length)
    for (const [name, word] of [...english, ...german]) assert.doesNotMatch(word, /_|rrset|zonefile/i, name)
    for (const [name, word] of german) assert.notEqual(word, (actions.commands as Record<string, string>)[name])
  })
})
