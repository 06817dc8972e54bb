/** The catalogue in force is printed as a file that serves the same catalogue again. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { api, checkFailure, place, serve, tokenOf, wolke } from '../kit/wolke.ts'

const lists = ['locations', 'server_types', 'load_balancer_types', 'images', 'isos'] as const

/** The catalogue that docs/catalogue.md shows as an example. */
const guide = readFileSync(new URL('../../../docs/catalogue.md', import.meta.url), 'utf8')
const example = /```json\n([^`]*"extends"[^`]*)```/.exec(guide)![1]!

/** All that the API says of a catalogue at one time, also of what is in no list any more. */
async function shown(t: TestContext, ...options: readonly string[]) {
  const server = await serve(t, '--database', 'memory', '--now', '2026-10-15', ...options)
  const get = async (path: string) => {
    const { status, body } = await api(server.baseUrl, tokenOf(server)!, path)
    assert.equal(status, 200, path)
    return body
  }
  const all: Record<string, unknown> = { pricing: await get('/pricing'), retired: await get('/server_types/1') }
  for (const list of lists) {
    const query = list === 'images' ? '&include_deprecated=true' : ''
    const pages: unknown[] = []
    for (let page: number | null = 1; page !== null; ) {
      const body = await get(`/${list}?per_page=50&page=${page}${query}`)
      pages.push(body)
      page = body.meta?.pagination.next_page ?? null
    }
    all[list] = pages
  }
  await server.end('SIGTERM')
  return JSON.stringify(all)
}

async function printed(...options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await wolke('catalogue', 'print', ...options)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

describe('wolke catalogue print', { concurrency: 3 }, () => {
  test('writes a file with which the API shows the built-in catalogue, byte by byte', async (t) => {
    const { directory } = await place()
    const file = join(directory, 'catalogue.json')
    await writeFile(file, await printed())
    assert.equal(await shown(t, '--catalogue', file), await shown(t))
  })

  test('writes the catalogue of a file that extends the built-in one, whole', async (t) => {
    const { directory } = await place()
    const [extension, whole] = [join(directory, 'extension.json'), join(directory, 'whole.json')]
    await writeFile(extension, example)
    const text = await printed('--catalogue', extension)
    await writeFile(whole, text)
    const { vswitches, server_types } = JSON.parse(text)
    assert.deepEqual(vswitches, [{ id: 4711 }])
    assert.ok(server_types.some(({ name }: { name: string }) => name === 'cx11'))
    const served = await shown(t, '--catalogue', extension)
    assert.match(served, /"net":"4\.00","gross":"4\.76"/)
    assert.equal(await shown(t, '--catalogue', whole), served)
    assert.equal(await printed('--catalogue', whole), text)
  })

  test('says what is wrong with a file', async () => {
    const { directory } = await place()
    const file = join(directory, 'catalogue.json')
    await writeFile(file, '{"extends": "built-in", "server_types": [{"name": "cx23", "core": 1}]}')
    const outcome = await wolke('catalogue', 'print', '--catalogue', file)
    checkFailure(outcome, 2, /--catalogue .*catalogue: server_types\[0\]\.core: unknown field/)
  })
})
