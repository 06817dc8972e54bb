/**
 * Which operations of the API real clients drive: read from the logs of the servers under test, compared with
 * driven.json, from which docs/operations.md is made.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { it } from 'node:test'
import { publicRootOf } from '../../../src/kernel/contract/bases.ts'
import { allEndpoints } from '../../../src/pages/openapi.ts'

/** Operations by client, by the test that drives them. */
export type Driven = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

const file = join(import.meta.dirname, 'driven.json')

/** What driven.json says. */
export function readDriven(): Driven {
  return JSON.parse(readFileSync(file, 'utf8')) as Driven
}

/** How each client introduces itself. */
const clients: readonly (readonly [name: string, agent: RegExp])[] = [
  ['hcloud', /^hcloud-cli\//],
  ['Terraform', /terraform/i],
  ['Ansible', /^ansible-module\//],
  ['Python', /hcloud-python\//],
]

/** Operations that clients have used with success in this process. */
const seen = new Map<string, Set<string>>()

/** Reads the log of a server; requests of the tests themselves do not count. */
export function noteRequests(log: Readable): void {
  createInterface(log).on('line', (line) => {
    if (!line.startsWith('{')) return
    const { method, path, status, agent } = JSON.parse(line) as Record<string, string>
    const client = clients.find(([, sign]) => sign.test(agent ?? ''))?.[0]
    const operation = operationOf(`${method} ${path}`)
    if (client === undefined || operation === undefined || Number(status) >= 400) return
    seen.set(client, (seen.get(client) ?? new Set()).add(operation))
  })
}

/** What is literal comes before what a parameter would take. */
const patterns = allEndpoints()
  .map(({ endpoint: { method, path } }) => `${method} ${path}`)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((operation) => ({ operation, pattern: new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

function operationOf(request: string): string | undefined {
  const [method, path = ''] = request.split(' ')
  const plain = `${method} ${path.slice(publicRootOf(path)?.length ?? 0)}`
  return patterns.find(({ pattern }) => pattern.test(plain))?.operation
}

/**
 * Declares the last test of a file: its clients have driven what driven.json says. With WOLKE_TEST_NOTE_DRIVEN=1 it
 * writes that instead.
 */
export function drivesWhatIsSaid(path: string): void {
  const name = relative(join(import.meta.dirname, '..'), path)
  it('drives the operations that docs/operations.md says', (t) => {
    const found = Object.fromEntries([...seen].sort().map(([client, some]) => [client, [...some].sort()]))
    const said = readDriven()
    if (process.env.WOLKE_TEST_NOTE_DRIVEN === '1') {
      writeFileSync(file, `${JSON.stringify({ ...said, [name]: found }, null, 2)}\n`)
      return
    }
    if (seen.size === 0) return t.skip('none of these clients is installed')
    for (const [client, operations] of Object.entries(said[name] ?? {})) {
      const missing = operations.filter((operation) => !found[client]?.includes(operation))
      assert.deepEqual(missing, [], `${client} does not drive these; npm run operations corrects the page`)
    }
  })
}
