/** The look is written down once: what pages of the server use is what the console uses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { logo } from '../../src/look/logo.ts'
import { mark } from '../../src/look/mark.ts'
import { tokens } from '../../src/look/tokens.ts'
import { words } from '../../src/people/pages/words.ts'

const read = (name: string) => readFileSync(new URL(`../../console/look/${name}`, import.meta.url), 'utf8').trim()

test('the tokens of the pages are those of the console', () => {
  assert.equal(tokens.trim(), read('tokens.css'))
})

test('the logo of the pages is that of the console', () => {
  assert.equal(logo.replace(/ class="logo" role="img" aria-label="Wolke"/, ''), read('logo.svg'))
})

test('the icon of the pages is the mark of the console', () => {
  assert.equal(mark, read('mark.svg'))
})

test('roles are called the same before the console and in it', () => {
  const inConsole = (language: 'de' | 'en') => {
    const [, roles = ''] = /\n {2}roles: \{([^}]*)\}/.exec(read(`../words/${language}/shell.ts`)) ?? []
    return Object.fromEntries([...roles.matchAll(/(\w+): '([^']+)'/g)].map(([, role, name]) => [role, name]))
  }
  for (const [role, name] of Object.entries(words.de.roles)) assert.equal(name, inConsole('de')[role])
  for (const [role, name] of Object.entries(words.en.roles)) assert.equal(name, inConsole('en')[role]?.toLowerCase())
})
