/** `wolke import`, `wolke export` and `wolke seed` at servers that answer anything: one line says what is wrong, and nothing is written. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Command } from 'commander'
import { runCommandLine } from '../../../src/commands/command-line.ts'
import { exportCommand, importCommand, seedCommand } from '../../../src/commands/seed.ts'
import { serve } from './kit.ts'

const token = 'shop'.repeat(16)

/** Runs a command against a server with these answers. Returns its failure and the file that it writes. */
async function run(t: TestContext, args: readonly string[], answer: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-garbage-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const output = join(folder, 'out')
  const endpoint = await serve(t, answer)
  const program = new Command('wolke').addCommand(exportCommand()).addCommand(importCommand())
  const all = [...args, '--endpoint', endpoint, '--token', token, '--output', output]
  const failure = await runCommandLine(program, all, () => undefined)
  return { failure, text: existsSync(output) ? readFileSync(output, 'utf8') : undefined }
}

async function refused(t: TestContext, args: readonly string[], answer: RequestListener): Promise<void> {
  const { failure, text } = await run(t, args, answer)
  assert.match(`${failure?.message}`, /^http:\S+: answered something else than this API: [^\n]+$/)
  assert.deepEqual([failure?.exitCode, text], [1, undefined])
}

const page = (entries: unknown, next: unknown = null) => ({
  projects: entries,
  meta: { pagination: { next_page: next } },
})

const garbage: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty list': '[]',
  'a list in a list': '[[]]',
  'a list with nothing': '[null]',
  nothing: '',
  'a text': '"servers"',
  'a page of the web': '<html></html>',
  'no list': JSON.stringify(page(5)),
  'entries that are nothing': JSON.stringify(page([null])),
  'entries that are lists': JSON.stringify(page([[]])),
  'entries without an id': JSON.stringify(page([{ name: 'default' }])),
  'a next page that is no number': JSON.stringify(page([], 'more')),
  'a next page that leads back': JSON.stringify(page([], 1)),
}

for (const [name, body] of Object.entries(garbage))
  for (const command of ['import', 'export'])
    test(`${command} refuses ${name}`, (t) => refused(t, [command], (_, response) => void response.end(body)))

for (const command of ['import', 'export']) {
  test(`${command} refuses an answer that is cut in the middle`, (t) =>
    refused(t, [command], (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('{"projects":', () => response.destroy())
    }))

  test(`${command} has the refusal of a server in one line`, async (t) => {
    const { failure } = await run(t, [command], (_, response) => {
      response.writeHead(500).end(JSON.stringify({ error: { code: [], message: 'two\nlines\u001b[2J' } }))
    })
    assert.match(`${failure?.message}`, /^http:\S+: two lines \[2J$/)
  })

  test(`${command} refuses an error that is none`, (t) =>
    refused(t, [command], (_, response) => void response.writeHead(500).end('{"error":[{"message":5}]}')))
}

test('export refuses a seed that is no text', (t) =>
  refused(t, ['export'], ({ url = '' }, response) => {
    response.end(JSON.stringify(url.includes('/seed') ? { text: 5 } : page([{ id: 1, name: 'default' }])))
  }))

/** Seeds a server that answers the same each time. */
async function seed(t: TestContext, answer: RequestListener, ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-seed-command-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'seed.yaml')
  writeFileSync(file, 'projects: []')
  const endpoint = await serve(t, answer)
  const program = new Command('wolke').addCommand(seedCommand())
  const failure = await runCommandLine(program, ['seed', file, '--endpoint', endpoint, ...more], () => undefined)
  return { failure, file }
}

for (const [name, body] of Object.entries(garbage))
  test(`seed refuses ${name}`, async (t) => {
    const { failure } = await seed(t, (_, response) => void response.end(body), '--token', token)
    assert.match(`${failure?.message}`, /^http:\S+ answered something else than this API$/)
    assert.equal(failure?.exitCode, 1)
  })

test('seed has what a server refuses in one line, and asks nobody for a file that is not there', async (t) => {
  let asked = 0
  const fields = [{ name: 'projects', messages: ['line 1: is\nempty'] }]
  const { failure, file } = await seed(
    t,
    (_, response) => {
      asked++
      response
        .writeHead(422)
        .end(JSON.stringify({ error: { code: 'invalid_input', message: 'no', details: { fields } } }))
    },
    ...['--token', token],
  )
  assert.deepEqual([failure?.message, failure?.exitCode], [`${file}: projects: line 1: is empty`, 1])
  const program = new Command('wolke').addCommand(seedCommand())
  const args = ['seed', `${file}.none`, '--endpoint', 'http://127.0.0.1:9', '--token', token]
  assert.match(`${(await runCommandLine(program, args, () => undefined))?.message}`, /^ENOENT: [^\n]+$/)
  assert.equal(asked, 1)
})

for (const format of ['seed', 'terraform'])
  test(`import leaves out whatever has other shapes, as ${format}`, async (t) => {
    const shapes = [
      { id: 1, name: 'bare', auto_delete: true },
      { id: 2, name: 'wrong', rules: 5, applied_to: 'all', labels: 'none', subnets: {}, type: [], rrsets: null },
      { id: 3, name: null, rules: 5, applied_to: [], labels: 7, routes: 1, ip_range: {}, subnets: [], type: 'managed' },
    ]
    const said: unknown[] = []
    t.mock.method(process.stderr, 'write', (line: unknown) => said.push(line) > 0)
    const { failure, text } = await run(t, ['import', '--format', format], ({ url = '' }, response) => {
      response.end(JSON.stringify(page(url.includes('rrsets') ? [] : shapes)))
    })
    assert.equal(failure, undefined)
    assert.match(`${text}`, format === 'seed' ? /^projects:\n/m : /^resource "/m)
    assert.match(said.join(''), /^wolke: left out: servers: bare: left out, because it is not understood: /m)
  })
