/** docs/seed.md: its file, its commands, and what a start with a wrong file says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'
import { endpointsAt, run } from '../kit/clients.ts'
import { readPage } from '../kit/page.ts'

before(build)

const page = readPage('docs/seed.md')
const [file] = page.blocksOf('yaml')
const [start, plant, commands] = page.blocksOf('sh')
const token = /token: (\w{64})/.exec(file!.text)![1]!
const free = '--listen 127.0.0.1:0 --dns-listen 127.0.0.1:0 --metadata-listen 127.0.0.1:0'

/** Commands of the page, with the program in place of its name. */
const script = (text: string) => text.replaceAll('npx wolke', `'${process.execPath}' '${bundle}'`)

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-seed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Starts the server of the page; returns what its ready file says, and how to stop it. */
async function begin(t: TestContext, folder: string, database = 'memory') {
  const command = script(start!.text).replace('serve', `serve ${free}`).replace('memory', database)
  const env = { ...process.env, TMPDIR: folder }
  const server = spawn('bash', ['-c', `exec ${command.trim()}`], { cwd: folder, env, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  t.after(stop)
  for await (const _ of watching(folder)) if (isThere(join(folder, 'ready.json'))) break
  const ready = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))
  return { ...(ready as { base_url: string; lab_token: string }), stop }
}

/** The servers of the Project, by an API token of the file. */
async function serversAt(url: string): Promise<{ id: number; name: string; status: string }[]> {
  const reply = await fetch(`${url}/servers`, { headers: { authorization: `Bearer ${token}` } })
  return ((await reply.json()) as { servers: { id: number; name: string; status: string }[] }).servers
}

async function* watching(folder: string) {
  const watcher = watch(folder)
  try {
    yield
    for (;;) {
      await once(watcher, 'change')
      yield
    }
  } finally {
    watcher.close()
  }
}

function isThere(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').endsWith('}\n')
  } catch {
    return false
  }
}

test('the file of the page is made before the server is ready, and comes back by its commands', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), file!.text)
  const { base_url, lab_token } = await begin(t, folder)
  const [web] = await serversAt(base_url)
  assert.deepEqual([web!.name, web!.status], ['web-1', 'running'])
  const env = { ...endpointsAt(base_url), HCLOUD_TOKEN: token, WOLKE_LAB_TOKEN: lab_token, PATH: process.env.PATH! }
  const { code, stdout, stderr } = await run('bash', ['--norc', '-ec', script(commands!.text)], { cwd: folder, env })
  assert.equal(code, 0, stderr)
  assert.equal(stdout + stderr, '')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const exported = read('shop.yaml')
  assert.equal(read('imported.yaml').replace('name: default', 'name: shop'), exported)
  for (const secret of [token, lab_token]) assert.ok(!exported.includes(secret))
  const { code: refused, stderr: said } = await run(
    'bash',
    ['-c', script('npx wolke export --project nobody; npx wolke import --token wrong')],
    { cwd: folder, env },
  )
  assert.equal(refused, 1)
  assert.match(said, /^wolke: there is no project named 'nobody'$/m)
  assert.match(said, /^wolke: http:\S+: .*unauthorized/m)
})

test('a running server is seeded by the command of the page, once', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), 'projects: [{ name: other }]')
  const { base_url } = await begin(t, folder)
  const seed = (text: string) => {
    writeFileSync(join(folder, 'seed.yaml'), text)
    return run('bash', ['--norc', '-ec', script(plant!.text)], { cwd: folder, env: { PATH: process.env.PATH! } })
  }
  const made = await seed(file!.text)
  assert.deepEqual(made, { code: 0, stdout: '6 made, 0 changed\n', stderr: '' })
  const before = await serversAt(base_url)
  assert.deepEqual(
    before.map(({ name, status }) => [name, status]),
    [['web-1', 'running']],
  )
  assert.equal((await seed(file!.text)).stdout, '0 made, 0 changed\n')
  const other = await seed(file!.text.replace('cx23', 'cx33').replace('role: web', 'role: front'))
  assert.equal(other.stdout, '0 made, 1 changed\n')
  assert.equal(
    other.stderr,
    'wolke: projects[0].servers[0].server_type: the file says otherwise, and this stays as it is\n',
  )
  const changed = await serversAt(base_url)
  const wrong = await seed(file!.text.replace('- name: web-1', '- name: web-2').replace('debian-12', 'debian-1'))
  const [message] = page.blocksOf('text')
  assert.deepEqual(wrong, { code: 1, stdout: '', stderr: message!.text.replace('--seed ', '') })
  assert.deepEqual(await serversAt(base_url), changed)
})

test('a reset leads to what the file has made', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), file!.text)
  const { base_url, lab_token } = await begin(t, folder)
  const before = await serversAt(base_url)
  const headers = { authorization: `Bearer ${token}` }
  assert.ok((await fetch(`${base_url}/servers/${before[0]!.id}`, { method: 'DELETE', headers })).ok)
  assert.notDeepEqual(await serversAt(base_url), before)
  const operator = { authorization: `Bearer ${lab_token}` }
  const reset = await fetch(`${new URL(base_url).origin}${wolkeBase}/reset`, { method: 'POST', headers: operator })
  assert.equal(reset.status, 204)
  assert.deepEqual(await serversAt(base_url), before)
})

test('a second start with the same file and database changes nothing', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), file!.text)
  const database = `sqlite:${join(folder, 'wolke.db')} --lab`
  const first = await begin(t, folder, database)
  const before = await serversAt(first.base_url)
  await first.stop()
  const second = await begin(t, folder, database)
  assert.deepEqual(await serversAt(second.base_url), before)
})

test('a start with a wrong file says what the page says', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), file!.text.replace('debian-12', 'debian-1'))
  const command = script(start!.text).replace('serve', `serve ${free}`).trim()
  const env = { ...process.env, TMPDIR: folder }
  const { code, stderr } = await run('bash', ['-c', `exec ${command}`], { cwd: folder, env })
  assert.equal(code, 1)
  const [message] = page.blocksOf('text')
  assert.ok(stderr.includes(message!.text.trim()), stderr)
  assert.equal(isThere(join(folder, 'ready.json')), false)
})

test('a seed needs a lab', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'seed.yaml'), file!.text)
  const args = [bundle, 'serve', '--database', `sqlite:${join(folder, 'wolke.db')}`, '--seed', 'seed.yaml']
  const { code, stderr } = await run(process.execPath, args, { cwd: folder, env: { TMPDIR: folder } })
  assert.equal(code, 2)
  assert.match(stderr, /--seed needs --lab/)
})
