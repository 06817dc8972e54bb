/** Pages of the server and the console call the same things by the same words. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { words } from '../../src/people/pages/words.ts'

const read = (name: string) => readFileSync(new URL(`../../console/words/${name}`, import.meta.url), 'utf8').trim()

test('roles are called the same before the console and in it', () => {
  const inConsole = (language: 'de' | 'en') => {
    const [, roles = ''] = /\n {2}roles: \{([^}]*)\}/.exec(read(`${language}/shell.ts`)) ?? []
    return Object.fromEntries([...roles.matchAll(/(\w+): '([^']+)'/g)].map(([, role, name]) => [role, name]))
  }
  for (const [role, name] of Object.entries(words.de.roles)) assert.equal(name, inConsole('de')[role])
  for (const [role, name] of Object.entries(words.en.roles)) assert.equal(name, inConsole('en')[role]?.toLowerCase())
})
