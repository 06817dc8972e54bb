/**
 * Administration, through real processes on both databases: the token that an operator gives, databases that are not there,
 * lists for programs, and servers that keep their data in memory.
 */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, execute, postgresUrl } from '../../kit/database/postgres.ts'
import { engines, onPostgres } from '../../kit/engines.ts'
import { call, makeKey, program, type Served } from '../kit/program.ts'

const { folder, serve, command, fail } = program('admin')
after(closeAdmin)

const tokenOf = (letter: string) => `given-${letter.repeat(58)}`

async function statusOf(baseUrl: string, token: string): Promise<number> {
  const response = await fetch(`${baseUrl}/ssh_keys`, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  return response.status
}

for (const engineName of engines) {
  describe(`The token that is given, on ${engineName}`, () => {
    let url = `sqlite:${join(folder, 'given.db')}`
    before(async () => {
      if (engineName === 'postgres') url = (await createDatabase(await postgresUrl())).url
    })
    const keyFile = ['--key-file', join(folder, `${engineName}.key`)]
    const create = async (...options: string[]) =>
      (await command('token', 'create', '--database', url, '--project', 'default', ...options)).stdout.trim()
    const projects = async (): Promise<{ id: number; name: string }[]> =>
      JSON.parse((await command('project', 'list', '--database', url, '--json')).stdout)

    test('is replaced by the next one, and those that were made stay', async () => {
      const first = await serve(url, ...keyFile, '--token', tokenOf('a'))
      const made = await create('--name', 'default')
      for (const token of [tokenOf('a'), made]) assert.equal(await statusOf(first.baseUrl, token), 200)
      await first.stop()

      const second = await serve(url, ...keyFile, '--token', tokenOf('b'))
      assert.equal(await statusOf(second.baseUrl, tokenOf('a')), 401)
      for (const token of [tokenOf('b'), made]) assert.equal(await statusOf(second.baseUrl, token), 200)
      await second.stop()

      // The same one again changes nothing.
      const third = await serve(url, ...keyFile, '--token', tokenOf('b'))
      for (const token of [tokenOf('b'), made]) assert.equal(await statusOf(third.baseUrl, token), 200)
      await third.stop()
    })

    test('may be one that was made: then it is replaced too', async () => {
      const made = await create()
      const first = await serve(url, ...keyFile, '--token', made)
      assert.equal(await statusOf(first.baseUrl, made), 200)
      assert.equal(await statusOf(first.baseUrl, tokenOf('b')), 401)
      await first.stop()
      const second = await serve(url, ...keyFile, '--token', tokenOf('c'))
      assert.equal(await statusOf(second.baseUrl, made), 401)
      await second.stop()
    })

    test('is refused where it may do something else', async () => {
      await command('project', 'create', 'other', '--database', url)
      const readOnly = await create('--read-only')
      const foreign = await create('--project', 'other')
      const says = (reason: string) => new RegExp(`^wolke: --token: this token ${reason}; use another one\n$`)
      assert.match(await fail(url, ...keyFile, '--token', readOnly), says('is read-only'))
      assert.match(await fail(url, ...keyFile, '--token', foreign), says('belongs to another Project'))
    })

    test('stays that of the default Project when it gets another name', async () => {
      const first = await serve(url, ...keyFile, '--token', tokenOf('r'))
      const manager = (await command('token', 'create', '--database', url, '--management')).stdout.trim()
      const before = await projects()
      const { id } = before.find(({ name }) => name === 'default')!
      const renamed = await fetch(`${new URL(first.baseUrl).origin}/wolke/v1/projects/${id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${manager}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'production' }),
      })
      assert.equal(renamed.status, 200)
      await first.stop()
      const options = ['--token', tokenOf('r'), '--owner-email', 'ops@example.com']
      const second = await serve(url, ...keyFile, ...options)
      assert.equal(await statusOf(second.baseUrl, tokenOf('r')), 200)
      await second.stop()
      const renamedOne = { ...before.find((one) => one.id === id)!, name: 'production', owner_email: 'ops@example.com' }
      assert.deepEqual(
        await projects(),
        before.map((one) => (one.id === id ? renamedOne : one)),
      )
    })

    test('makes no Project in a start that fails', async () => {
      const taken = await create('--project', 'other')
      await command('project', 'delete', 'production', '--database', url)
      const before = await projects()
      assert.deepEqual(
        before.map(({ name }) => name),
        ['other'],
      )
      assert.match(await fail(url, ...keyFile, '--token', taken), /belongs to another Project/)
      assert.deepEqual(await projects(), before)
      await (await serve(url, ...keyFile, '--token', tokenOf('s'))).stop()
      assert.deepEqual(
        (await projects()).map(({ name }) => name),
        ['other', 'default'],
      )
    })

    if (engineName !== 'postgres') return

    test('stops working in every process, although they remember it', async () => {
      const first = await serve(url, ...keyFile, '--token', tokenOf('d'))
      assert.equal(await statusOf(first.baseUrl, tokenOf('d')), 200)
      const second = await serve(url, ...keyFile, '--token', tokenOf('e'))
      assert.equal(await statusOf(second.baseUrl, tokenOf('d')), 401)
      await until(async () => (await statusOf(first.baseUrl, tokenOf('d'))) === 401)
      for (const { baseUrl } of [first, second]) assert.equal(await statusOf(baseUrl, tokenOf('e')), 200)
      await Promise.all([first.stop(), second.stop()])
    })

    test('is one, whichever of several that start together comes last', async () => {
      const tokens = ['f', 'g', 'h'].map(tokenOf)
      const servers = await Promise.all(tokens.map((token) => serve(url, ...keyFile, '--token', token)))
      const statuses = await Promise.all(tokens.map((token) => statusOf(servers[0]!.baseUrl, token)))
      assert.deepEqual(statuses.sort(), [200, 401, 401])
      await Promise.all(servers.map((server) => server.stop()))
    })
  })
}

// ---- Databases that are not there ----------------------------------------------------------------------------------

/** Every command that only administers. */
const administering = [
  ['project', 'create', 'second'],
  ['project', 'list'],
  ['project', 'set', 'default', '--owner-email', 'none'],
  ['project', 'limits', 'default', 'servers=1'],
  ['project', 'delete', 'default'],
  ['token', 'create', '--project', 'default'],
  ['token', 'list'],
  ['token', 'revoke', '1'],
  ['mail', 'list'],
  ['mail', 'retry', '1'],
  ['secrets', 'rotate', '--previous-key-file', join(folder, 'previous.key')],
]
writeFileSync(join(folder, 'previous.key'), 'k'.repeat(32), { mode: 0o600 })

/** All of these commands fail in one line. */
async function allFail(url: string, says: RegExp, commands = administering): Promise<void> {
  for (const args of commands) {
    const { code, stdout, stderr } = await command(...args, '--database', url)
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, says, args.join(' '))
    assert.match(stderr, /^wolke: [^\n]+\n$/)
  }
}

const noDatabase = /there is no (Wolke )?database at \S+: .*--database/

describe('Commands that only administer', { concurrency: 2 }, () => {
  test('make no file in a wrong folder', async () => {
    const at = join(folder, 'wrong')
    mkdirSync(at)
    await allFail(`sqlite:${at}/data/wolke.db`, noDatabase, [...administering, ['backup', join(at, 'backup')]])
    assert.deepEqual(readdirSync(at), [])
  })

  test('leave files alone that are no database of Wolke', async () => {
    const at = join(folder, 'foreign')
    mkdirSync(at)
    writeFileSync(join(at, 'empty.db'), '')
    const foreign = new DatabaseSync(join(at, 'foreign.db'))
    foreign.exec('create table bookmark (url text)')
    foreign.close()
    for (const name of readdirSync(at)) {
      const before = readFileSync(join(at, name))
      await allFail(`sqlite:${join(at, name)}`, noDatabase, administering.slice(0, 3))
      assert.deepEqual(readFileSync(join(at, name)), before)
    }
    assert.deepEqual(readdirSync(at).sort(), ['empty.db', 'foreign.db'])
  })

  test('make no tables in an empty PostgreSQL database', onPostgres, async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    await allFail(
      url,
      /there is no Wolke database at postgres:\/\/127\S+: --database .*names.*first start of wolke serve creates it/,
      administering.slice(0, 3),
    )
    // This would fail if there were one.
    await execute(url, 'create table migration (n integer)')
    await drop()
  })

  test('leave the schema of an older version to the server', onPostgres, async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    const path = join(folder, 'older.db')
    for (const database of [url, `sqlite:${path}`]) {
      await (await serve(database, '--key-file', join(folder, 'older.key'))).stop()
    }
    const forget = `delete from migration where position = (select max(position) from migration)`
    await execute(url, forget)
    const file = new DatabaseSync(path)
    file.exec(forget)
    file.close()
    for (const database of [url, `sqlite:${path}`]) {
      await allFail(database, /was written by an older version of Wolke: start wolke serve/, administering.slice(0, 3))
    }
    await drop()
  })
})

// ---- Lists for programs --------------------------------------------------------------------------------------------

for (const engineName of [...engines, 'memory'] as const) {
  test(`lists are JSON on request, on ${engineName}`, async () => {
    const postgres = engineName === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
    const database = engineName === 'memory' ? 'memory' : (postgres?.url ?? `sqlite:${join(folder, 'lists.db')}`)
    const server = await serve(database, '--key-file', join(folder, `lists-${engineName}.key`))
    const at = engineName === 'memory' ? `memory:${new URL(server.baseUrl).port}` : database
    const list = async (...args: string[]) => {
      const { code, stdout, stderr } = await command(...args, '--json', '--database', at)
      assert.deepEqual([code, stderr], [0, ''])
      return JSON.parse(stdout)
    }
    assert.deepEqual(await list('mail', 'list'), [])
    await command('project', 'create', 'second', '--owner-email', 'b@example.org', '--database', at)
    const token = (await command('token', 'create', '--project', 'second', '--read-only', '--database', at)).stdout
    const [first, second] = await list('project', 'list')
    assert.match(first.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.deepEqual(first, { id: first.id, name: 'default', created: first.created, owner_email: null })
    assert.deepEqual([second.name, second.owner_email], ['second', 'b@example.org'])
    const [given, made] = await list('token', 'list')
    const ofTokens = ['kind', 'project', 'id', 'name', 'read_only', 'given', 'ends_with', 'created']
    const since = ['created_by', 'last_used', 'expires', 'scope', 'rotates']
    assert.deepEqual(Object.keys(made), [...ofTokens, ...since])
    assert.deepEqual([given.project, given.read_only, given.given], ['default', false, true])
    assert.deepEqual([made.project, made.read_only, made.given], ['second', true, false])
    assert.equal(made.ends_with, token.trim().slice(-4))
    const limits = await list('project', 'limits', 'second', 'servers=3,images=off')
    const limitOf = (kind: string) => limits.find((limit: { kind: string }) => limit.kind === kind).limit
    assert.deepEqual(['servers', 'images', 'firewalls'].map(limitOf), [3, 'off', 'default'])
    await server.stop()
    await postgres?.drop()
  })
}

// ---- Data in the memory of a server ---------------------------------------------------------------------------------

/** Where servers take commands. */
const sockets = join(folder, `wolke-${process.getuid!()}`)
const portOf = ({ baseUrl }: Served) => new URL(baseUrl).port

/** What a server sends to somebody who sends bytes; nothing when it ends the connection. */
function send(path: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ path, allowHalfOpen: true }, () => socket.end(bytes))
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    socket.on('error', () => undefined).on('close', () => resolve(answer))
  })
}

describe('A server that keeps its data in memory', () => {
  test('is administered while it runs, by the commands of every other database', async () => {
    const server = await serve('memory')
    const wolke = (...args: string[]) => command(...args, '--database', 'memory')
    const created = await wolke('project', 'create', 'suite')
    assert.match(created.stdout, /^Project suite created with ID \d+\n$/)
    assert.deepEqual([created.code, created.stderr], [0, ''])
    assert.deepEqual(await wolke('project', 'create', 'suite'), {
      code: 1,
      stdout: '',
      stderr: "wolke: a project named 'suite' exists already\n",
    })
    const token = (await wolke('token', 'create', '--project', 'suite')).stdout.trim()
    assert.equal(await statusOf(server.baseUrl, token), 200)
    await wolke('project', 'limits', 'suite', 'ssh_keys=0')
    const refused = await fetch(`${server.baseUrl}/ssh_keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a', public_key: makeKey() }),
    })
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'resource_limit_exceeded')
    assert.equal((await wolke('token', 'revoke', token)).stdout, 'Token revoked\n')
    await until(async () => (await statusOf(server.baseUrl, token)) === 401)
    assert.equal((await wolke('project', 'delete', 'suite')).stdout, 'Project suite deleted\n')
    assert.match((await wolke('project', 'list')).stdout, /^\d+\tdefault\t\S+Z\tnone\n$/)
    const misspelt = await wolke('project', 'create', ' ')
    assert.deepEqual([misspelt.code, misspelt.stdout], [2, ''])
    await server.stop()
    assert.deepEqual(readdirSync(sockets), [])
    const late = await wolke('project', 'list')
    assert.deepEqual([late.code, late.stdout], [1, ''])
    assert.match(late.stderr, /^wolke: no wolke serve --database memory of this user is running \(looked in \S+\)\n$/)
  })

  test('is told from others by the port of its API', async () => {
    const [one, other] = await Promise.all([serve('memory'), serve('memory')])
    assert.equal((await command('project', 'create', 'mine', '--database', `memory:${portOf(one)}`)).code, 0)
    assert.match((await command('project', 'list', '--database', `memory:${portOf(one)}`)).stdout, /\tmine\t/)
    assert.doesNotMatch((await command('project', 'list', '--database', `memory:${portOf(other)}`)).stdout, /\tmine\t/)
    const unclear = await command('project', 'list', '--database', 'memory')
    assert.equal(unclear.code, 1)
    const names = [one, other].map((server) => `memory:${portOf(server)}`).sort()
    assert.match(unclear.stderr, new RegExp(`choose one by --database ${names.join(' or ')}\n$`))
    const unknown = await command('project', 'list', '--database', 'memory:1')
    assert.match(unknown.stderr, /of this user has its API on port 1 /)
    // What one that was killed leaves behind is in nobody's way.
    await other.kill()
    assert.equal(readdirSync(sockets).length, 2)
    assert.equal((await command('project', 'list', '--database', 'memory')).code, 0)
    assert.equal(readdirSync(sockets).length, 1)
    await one.stop()
  })

  test('hears nobody but its own user', async () => {
    const server = await serve('memory')
    assert.equal(statSync(sockets).mode & 0o777, 0o700)
    const [name] = readdirSync(sockets)
    assert.equal(statSync(join(sockets, name!)).mode & 0o777, 0o600)
    // Nothing of it is part of the API.
    for (const path of ['/admin', '/projects', '/tokens']) {
      assert.equal((await call(server.baseUrl, 'POST', path, { args: ['project', 'list'] })).status, 404)
    }
    await server.stop()
  })

  test('neither serves nor is looked for in a folder that others could change', async () => {
    const server = await serve('memory')
    for (const spoil of [
      () => chmodSync(sockets, 0o777),
      () => {
        chmodSync(sockets, 0o700)
        renameAway()
      },
    ]) {
      spoil()
      const { code, stderr } = await command('project', 'list', '--database', 'memory')
      assert.equal(code, 1)
      assert.match(stderr, /^wolke: \S+ is not a folder of this user alone\n$/)
      // The API does not depend on it.
      const deaf = await serve('memory', '--log-level', 'warn')
      assert.equal((await call(deaf.baseUrl, 'GET', '/ssh_keys')).status, 200)
      await deaf.stop()
      assert.match(String(deaf.log()[0]?.msg), /commands cannot ask this server/)
    }
    unlinkSync(sockets)
    await server.stop()
  })

  test('runs nothing else, and outlives who sends nonsense', async () => {
    const server = await serve('memory', '--log-level', 'silent')
    const path = join(sockets, readdirSync(sockets)[0]!)
    for (const nonsense of ['', '{', '{}', '[1]', 'null', `["${'x'.repeat(70_000)}"]`]) {
      assert.equal(await send(path, nonsense), '', nonsense.slice(0, 9))
    }
    for (const args of [['serve'], ['backup', join(folder, 'b')], ['restore', 'x'], ['secrets', 'rotate']]) {
      const { output, failure } = JSON.parse(await send(path, JSON.stringify(args)))
      assert.deepEqual([output, failure.exitCode], ['', 2])
      assert.match(failure.message, /unknown command/)
    }
    const help = JSON.parse(await send(path, JSON.stringify(['project', '--help'])))
    assert.match(help.output, /^Usage: wolke project /)
    assert.equal((await command('project', 'list', '--database', 'memory')).code, 0)
    assert.ok(!existsSync(join(folder, 'b')))
    await server.stop()
  })
})

/** Puts a symbolic link to an own folder in the place where servers take commands. */
function renameAway(): void {
  for (const name of readdirSync(sockets)) unlinkSync(join(sockets, name))
  rmdirSync(sockets)
  mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 })
  symlinkSync(join(folder, 'elsewhere'), sockets)
}
