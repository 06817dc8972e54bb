/** `wolke snapshot` at servers that answer anything: whom it asks, and what it refuses before it asks. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Command } from 'commander'
import { runCommandLine } from '../../../src/commands/command-line.ts'
import { snapshotCommand } from '../../../src/commands/snapshot.ts'
import { serve } from './kit.ts'

const main = join(import.meta.dirname, '../../../src/main.ts')

/** A server with a ready file, a folder, and the requests so far: each with its token. */
async function lab(t: TestContext, answer: RequestListener = (_, response) => void response.end('{"snapshots":[]}')) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-snapshot-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const asked: string[] = []
  const url = await serve(t, (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    answer(request, response)
  })
  const ready = join(folder, 'ready.json')
  writeFileSync(ready, JSON.stringify({ base_url: url, lab_token: 'of-the-file' }))
  const run = (...args: string[]) =>
    runCommandLine(new Command('wolke').addCommand(snapshotCommand()), ['snapshot', ...args], () => undefined)
  return { folder, asked, url, ready, run: (...args: string[]) => run(...args, '--ready-file', ready), runBare: run }
}

/** Runs the command in a process of its own, with variables. */
async function spawned(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [main, 'snapshot', ...args], { env: { ...process.env, ...env } })
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
  return { code, stderr }
}

test('A ready file that is named wins over the environment, and a token that is named over both', async (t) => {
  const { asked, ready, url } = await lab(t)
  const other = { WOLKE_LAB_TOKEN: 'of-the-environment', WOLKE_ENDPOINT: 'http://127.0.0.1:9' }
  const named = await spawned(other, 'list', '--ready-file', ready)
  assert.deepEqual(named, { code: 0, stderr: '' })
  await spawned(other, 'list', '--ready-file', ready, '--token', 'of-the-flag')
  await spawned({ ...other, WOLKE_ENDPOINT: url, WOLKE_READY_FILE: ready }, 'list')
  assert.deepEqual(
    asked.map((line) => line.split(' Bearer ')[1]),
    ['of-the-file', 'of-the-flag', 'of-the-environment'],
  )
})

test('A token that cannot stand in a header is refused, and never printed', async (t) => {
  const { folder, asked, url, runBare } = await lab(t)
  const given = await runBare('list', '--endpoint', url, '--token', 'secret\nsecret')
  const ready = join(folder, 'other.json')
  writeFileSync(ready, JSON.stringify({ base_url: url, lab_token: 'secret\nsecret' }))
  const read = await runBare('list', '--ready-file', ready)
  for (const { message, exitCode } of [given!, read!]) {
    assert.match(message!, /token[^\n]*$/)
    assert.doesNotMatch(message!, /secret|\n/)
    assert.equal(exitCode, 2)
  }
  assert.deepEqual(asked, [])
})

test('A ready file that is none is refused in one line', async (t) => {
  const { folder, url, runBare } = await lab(t)
  const ready = join(folder, 'other.json')
  for (const content of ['null', '5', '[]', '', JSON.stringify({ base_url: 5 }), JSON.stringify({ base_url: url })]) {
    writeFileSync(ready, content)
    const failure = await runBare('list', '--ready-file', ready)
    assert.match(failure!.message!, /^--[^\n]+$/, content)
    assert.equal(failure!.exitCode, 2)
  }
})

test('A file that cannot be written is refused before anything is kept', async (t) => {
  const { folder, asked, run } = await lab(t)
  mkdirSync(join(folder, 'folder'))
  for (const file of [join(folder, 'missing', 'file'), join(folder, 'folder')]) {
    const failure = await run('save', 'base', file)
    assert.match(failure!.message!, /^(ENOENT: [^\n]+|\S+ is a folder)$/)
    assert.equal(failure!.exitCode, 1)
  }
  assert.deepEqual(asked, [])
  assert.deepEqual(readdirSync(folder).sort(), ['folder', 'ready.json'])
})

test('Names that paths have a meaning for are refused', async (t) => {
  const { asked, run } = await lab(t)
  for (const name of ['', '.', '..'])
    for (const command of ['save', 'load', 'delete']) {
      const failure = await run(command, name)
      assert.match(failure!.message!, /'name'[^\n]*$/)
      assert.equal(failure!.exitCode, 2)
    }
  assert.deepEqual(asked, [])
})

test('Answers of something else are refused in one line', async (t) => {
  for (const answer of ['', 'text', 'null', '{}', '{"snapshots":5}', '{"snapshots":[null]}']) {
    const { run } = await lab(t, (_, response) => void response.end(answer))
    const failure = await run('list')
    assert.match(failure!.message!, /^http:\S+ answered something else than this API$/, answer)
    assert.equal(failure!.exitCode, 1)
  }
  const { run, folder } = await lab(t, ({ method }, response) => {
    if (method === 'PUT') return void response.end('{}')
    response.writeHead(200, { 'content-length': 1_000 })
    response.write('some', () => response.destroy())
  })
  const failure = await run('save', 'base', join(folder, 'file'))
  assert.match(failure!.message!, /^http:\S+ does not answer: [^\n]+$/)
  assert.equal(existsSync(join(folder, 'file')), false)
})
