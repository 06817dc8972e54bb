/** The page about hosts tells operators what the lab executes: each of its steps is quoted there, as it is. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { images } from '../../src/catalogue/images.ts'
import { infrastructureCommand } from '../../src/commands/infrastructure.ts'
import { imageCommand } from '../../src/commands/infrastructure-image.ts'
import { hostsOptions } from '../../src/config/hosts.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/hosts.md'), 'utf8')
const steps = 'lab/host'

/** The blocks of the page that say which script they are of, by its path. */
const quoted = new Map([...page.matchAll(/^```sh (\S+)\n(.*?)^```$/gms)].map(([, path, text]) => [path!, text!]))

/** The commands of a script, without its head: what it is, and the names of its arguments. */
function commandsOf(path: string): string {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  const isHead = (line: string) => /^(#.*|set -eu|(\w+=\$\S+ ?)+|shift \d+|)$/.test(line)
  return lines.slice(lines.findIndex((line) => !isHead(line))).join('\n')
}

test('the page quotes every step that makes a host of the lab, and nothing that is none', () => {
  const scripts = readdirSync(join(root, steps)).map((name) => `${steps}/${name}`)
  assert.deepEqual([...quoted.keys()].sort(), scripts.sort())
})

for (const [path, text] of quoted) {
  test(`what the page says of ${path} is what the lab executes`, () => {
    assert.equal(text, commandsOf(path))
  })
}

test('the page explains every option about hosts', () => {
  for (const { long, envVar } of hostsOptions()) {
    assert.ok(page.includes(`\`${long} `), `${long} is missing`)
    assert.ok(page.includes(`\`${envVar}\``), `${envVar} is missing`)
  }
})

test('the page explains every option that images have of their own', () => {
  for (const { long } of imageCommand().options) assert.ok(page.includes(`\`${long}`), `${long} is missing`)
})

test('every command of Wolke on the page is one, and every name of an image in it is known', () => {
  const named = [...page.matchAll(/wolke infrastructure image ([a-z][\w.-]*)/g)].map(([, name]) => name)
  assert.ok(named.length > 0)
  for (const name of named)
    assert.ok(
      images.some((image) => image.name === name),
      `there is no image ${name}`,
    )
  const known = infrastructureCommand().commands.map((command) => command.name())
  for (const [, name] of page.matchAll(/wolke infrastructure ([a-z]+)/g)) assert.ok(known.includes(name!), name)
})
