/** Sockets that a service manager passes: nobody who asks while the server is started again notices more than a pause. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../kit/database/bare-database.ts'
import { activate } from './kit/activator.ts'
import { call, makeKey, program, token } from './kit/program.ts'

const { folder } = program('sockets')
const run = promisify(execFile)

const all = ['api:tcp', 'metadata:tcp', 'dns:tcp', 'dns:udp']

/** Creates an SSH key; resolves to the status. Without an agent that keeps connections it has one of its own. */
function create(port: number, name: string, agent = new Agent()): Promise<number> {
  const body = JSON.stringify({ name, public_key: makeKey() })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/ssh_keys',
      headers,
      agent,
    })
    asked.once('error', reject)
    asked.once('response', (response) => response.resume().once('close', () => resolve(response.statusCode!)))
    asked.end(body)
  })
}

interface Ready {
  readonly base_url: string
  readonly metadata_url: string
  readonly dns: string
  readonly pid: number
}

function readyFile(path: string): Ready {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Where a file descriptor leads; one that was closed meanwhile leads nowhere. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

describe('a server with passed sockets', () => {
  test('listens on them, and refuses nobody while it is started again', async (t) => {
    const path = join(folder, 'ready.json')
    const options = ['--database', `sqlite:${join(folder, 'cloud.db')}`, '--ready-file', path]
    const manager = await activate(folder, all, options)
    const { api = 0, metadata, dns } = manager.ports
    assert.equal(await create(api, 'first'), 201)
    await until(() => existsSync(path))
    const at = readyFile(path)
    assert.deepEqual(
      [at.base_url, at.metadata_url, at.dns],
      [`http://127.0.0.1:${api}/v1`, `http://127.0.0.1:${metadata}`, `127.0.0.1:${dns}`],
    )

    let isOver = false
    const created: string[] = []
    const kept = new Agent({ keepAlive: true })
    const load = Array.from({ length: 4 }, async (_, worker) => {
      for (let count = 0; !isOver; count++) {
        const name = `key-${worker}-${count}`
        assert.equal(await create(api, name, worker % 2 ? kept : undefined), 201)
        created.push(name)
      }
    })
    t.after(() => {
      isOver = true
      kept.destroy()
    })
    const asks = (more: readonly string[]) =>
      run('dig', ['@127.0.0.1', '-p', String(dns), '+time=2', '+tries=9', '+short', 'version.bind', 'TXT', ...more])
    for (let round = 0; round < 3; round++) {
      const before = created.length
      const restarted = manager.restart()
      await Promise.all([asks([]), asks(['+tcp'])])
      assert.equal(await restarted, 0)
      await until(async () => created.length > before + 10)
    }
    isOver = true
    await Promise.all(load)

    const base = `http://127.0.0.1:${api}/v1`
    const found = await call(base, 'GET', `/ssh_keys?name=${created.at(-1)}`)
    assert.equal(found.json.ssh_keys.length, 1)
    const { meta } = (await call(base, 'GET', '/ssh_keys?per_page=1')).json
    assert.equal(meta.pagination.total_entries, created.length + 1)
    assert.deepEqual(await manager.stop(), { code: 0, stderr: '' })
  })

  test('hands none of them on to the processes that it starts', async () => {
    const path = join(folder, 'with-doors.json')
    const doors = ['--storage-ssh', '127.0.0.1:0', '--database', `sqlite:${join(folder, 'with-doors.db')}`]
    const manager = await activate(folder, all, [...doors, '--ready-file', path])
    await until(() => existsSync(path))
    const { pid } = readyFile(path)
    const passed = [3, 4, 5, 6].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    assert.notEqual(children[0], '')
    const open = children.flatMap((child) =>
      readdirSync(`/proc/${child}/fd`).map((fd) => linkOf(`/proc/${child}/fd/${fd}`)),
    )
    assert.deepEqual(
      open.filter((link) => passed.includes(link)),
      [],
    )
    assert.equal((await manager.stop()).code, 0)
  })

  test('says which of them it cannot use', async () => {
    const refused = async (sockets: readonly string[], options: readonly string[] = []) => {
      const manager = await activate(folder, sockets, ['--database', `sqlite:${join(folder, 'none.db')}`, ...options])
      const { code, stderr } = await manager.ended()
      assert.equal(code, 2)
      return stderr
    }
    assert.match(await refused(['web:tcp']), /a socket is named web; FileDescriptorName= is one of api, metadata, dns/)
    assert.match(await refused(['api:udp']), /the listener api needs one socket of TCP, and no other/)
    assert.match(await refused(['api:unix']), /the listener api needs one socket of TCP, and no other/)
    assert.match(await refused(['api:tcp', 'api:tcp']), /the listener api needs one socket of TCP, and no other/)
    assert.match(await refused(['dns:tcp']), /dns needs one socket of TCP and one socket of UDP, and no other/)
    assert.match(await refused(['dns:tcp', 'dns:udp'], ['--lab']), /a lab opens its name server/)
  })
})
