/** What operators do beside a running server: keys of the secrets, Projects, tokens and mail. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { gate, until } from '../../kit/database/bare-database.ts'
import { chain, selfSigned } from '../../kit/samples/certificates.ts'
import { openMailServer } from '../../stubs/smtp.ts'
import { api, checkFailure, key, place, serve, tokenOf, wolke } from '../kit/wolke.ts'

describe('The key of the secrets', { concurrency: 2 }, () => {
  test('is made at the first start, for its owner alone, and needed from then on', async (t) => {
    const { directory, url, path } = await place()
    const server = await serve(t, '--database', url)
    assert.equal((await stat(`${path}.key`)).mode & 0o777, 0o400)
    // The bundle reads certificates by a program of its own.
    const { certificate, private_key } = chain(5)
    const created = await api(server.baseUrl, tokenOf(server)!, '/certificates', {
      name: 'c',
      certificate,
      private_key,
    })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.deepEqual(created.body.certificate.domain_names, ['www.example.com'])
    // And what writes them is read on demand.
    const root = await fetch(new URL('ca.pem', `${server.baseUrl}/`))
    assert.ok(new X509Certificate(await root.text()).ca)
    assert.equal(await server.end('SIGTERM'), 0)

    const kept = join(directory, 'kept')
    await rename(`${path}.key`, kept)
    const start = ['serve', '--listen', '127.0.0.1:0', '--database', url]
    checkFailure(
      await wolke(...start),
      1,
      /--key-file: .*wolke\.db\.key does not exist, but the database needs the key \w{16}/,
    )
    const other = join(directory, 'other')
    await writeFile(other, 'x'.repeat(32), { mode: 0o600 })
    checkFailure(await wolke(...start, '--key-file', other), 1, /need the key \w{16}, which is not at hand/)
    await writeFile(join(directory, 'nonsense'), 'nonsense', { mode: 0o600 })
    checkFailure(await wolke(...start, '--key-file', join(directory, 'nonsense')), 2, /does not hold a key: 32 bytes/)
    const again = await serve(t, '--database', url, '--key-file', kept)
    assert.equal(await again.end('SIGTERM'), 0)
  })

  test('is replaced while the server runs with both', async (t) => {
    const { directory, url, path } = await place()
    const database = ['--database', url]
    const first = await serve(t, ...database)
    const { certificate, private_key } = chain(1)
    await api(first.baseUrl, tokenOf(first)!, '/certificates', { name: 'c', certificate, private_key })
    assert.equal(await first.end('SIGTERM'), 0)

    const old = join(directory, 'old.key')
    await rename(`${path}.key`, old)
    const both = [...database, '--previous-key-file', old]
    const second = await serve(t, ...both)
    const rotated = await wolke('secrets', 'rotate', ...both)
    assert.deepEqual(rotated, { code: 0, stderr: '', stdout: 'Projects whose key was encrypted again: 1\n' })
    assert.equal(await second.end('SIGTERM'), 0)
    await (await serve(t, ...database)).end('SIGTERM')
    const start = ['serve', '--listen', '127.0.0.1:0', ...database]
    checkFailure(await wolke(...start, '--key-file', old), 1, /need the key \w{16}/)
    checkFailure(await wolke(...start, '--previous-key-file', join(directory, 'none')), 2, /none does not exist/)
  })
})

/** Tokens with scopes, rotated ones and management tokens, as commands make them. */
async function checkLimited(baseUrl: string, database: readonly string[]): Promise<void> {
  const more = ['--families', 'servers', '--verbs', 'reboot,read', '--label-selector', 'env = test']
  const limited = ['--project', 'second', '--name', 'limited', '--expires', '2099-01-01T00:00:00Z', ...more]
  const scoped = (await wolke('token', 'create', ...limited, ...database)).stdout.trim()
  const management = (await wolke('token', 'create', '--management', '--name', 'all', ...database)).stdout.trim()
  assert.match(management, /^wlm_[0-9A-Za-z]{60}$/)
  const listed = JSON.parse((await wolke('token', 'list', '--json', ...database)).stdout)
  const entry = listed.find(({ ends_with }: { ends_with: string }) => ends_with === scoped.slice(-4))
  const scope = { families: ['servers'], verbs: ['read', 'reboot'], label_selector: 'env=test' }
  assert.deepEqual([entry.scope, entry.expires, entry.kind], [scope, '2099-01-01T00:00:00Z', 'project'])
  const rotated = (await wolke('token', 'rotate', String(entry.id), ...database)).stdout.trim()
  for (const one of [scoped, rotated]) assert.equal((await api(baseUrl, one, '/servers')).status, 200)
  assert.equal((await api(baseUrl, rotated, '/volumes')).body.error.code, 'forbidden')
  assert.equal((await api(baseUrl, management, '/servers')).status, 401)
  const untilDay = (
    await wolke('token', 'create', '--management', '--name', 'day', '--expires', '2098-12-31', ...database)
  ).stdout.trim()
  const again = JSON.parse((await wolke('token', 'list', '--json', ...database)).stdout)
  const day = again.find(({ ends_with }: { ends_with: string }) => ends_with === untilDay.slice(-4))
  assert.equal(day.expires, '2099-01-01T00:00:00Z')
  for (const one of [rotated, management, untilDay])
    assert.equal((await wolke('token', 'revoke', one, ...database)).stdout, 'Token revoked\n')
  checkFailure(await wolke('token', 'create', ...database), 2, /either --project or --management/)
  checkFailure(await wolke('token', 'create', '--management', '--read-only', ...database), 2, /without --project/)
  const wrong = { families: 'cars', verbs: 'explode', 'label-selector': 'a=(', expires: 'soon' }
  for (const [option, value] of Object.entries(wrong)) {
    const args = ['token', 'create', '--project', 'second', `--${option}`, value, ...database]
    checkFailure(await wolke(...args), 2, new RegExp(`--${option}`))
  }
}

describe('wolke project and wolke token', { concurrency: 2 }, () => {
  test('work on the file of a running server', async (t) => {
    const { url } = await place()
    const database = ['--database', url]
    const server = await serve(t, ...database)
    const made = await wolke('project', 'create', 'second', ...database)
    assert.match(made.stdout, /^Project second created with ID \d+\n$/)
    assert.deepEqual([made.code, made.stderr], [0, ''])
    checkFailure(await wolke('project', 'create', 'second', ...database), 1, /a project named 'second' exists already/)
    const listed = await wolke('project', 'list', ...database)
    assert.match(listed.stdout, /^\d+\tdefault\t\S+Z\tnone\n\d+\tsecond\t\S+Z\tnone\n$/)

    const [writer, reader] = await Promise.all([
      wolke('token', 'create', '--project', 'second', '--name', 'ci', ...database),
      wolke('token', 'create', '--project', 'second', '--read-only', ...database),
    ])
    for (const { code, stdout, stderr } of [writer, reader]) {
      assert.match(stdout, /^wlk_[0-9A-Za-z]{60}\n$/)
      assert.deepEqual([code, stderr], [0, ''])
    }
    const [token, readOnly] = [writer.stdout.trim(), reader.stdout.trim()]
    const created = await api(server.baseUrl, token, '/ssh_keys', { name: 'a', public_key: key })
    assert.equal(created.status, 201)
    const refused = await api(server.baseUrl, readOnly, '/ssh_keys', { name: 'b', public_key: key })
    assert.equal(refused.body.error.code, 'token_readonly')
    assert.equal((await api(server.baseUrl, readOnly, '/ssh_keys')).body.ssh_keys.length, 1)
    assert.equal((await api(server.baseUrl, tokenOf(server)!, '/ssh_keys')).body.ssh_keys.length, 0)

    const tokens = (await wolke('token', 'list', ...database)).stdout
    assert.match(
      tokens,
      new RegExp(`^\\d+\tsecond\tci\tread-write\t\\.\\.\\.${token.slice(-4)}\t\\S+Z\t\\S+\tnever\teverything$`, 'm'),
    )
    assert.match(
      tokens,
      new RegExp(
        `^\\d+\tsecond\ttoken\tread-only\t\\.\\.\\.${readOnly.slice(-4)}\t\\S+Z\t\\S+\tnever\teverything$`,
        'm',
      ),
    )
    assert.ok(!tokens.includes(token))
    const id = new RegExp(`^(\\d+).*${readOnly.slice(-4)}`, 'm').exec(tokens)![1]!
    assert.equal((await wolke('token', 'revoke', id, ...database)).stdout, 'Token revoked\n')
    checkFailure(await wolke('token', 'revoke', id, ...database), 1, /there is no such token/)

    await checkLimited(server.baseUrl, database)

    checkFailure(await wolke('project', 'delete', 'second', ...database), 1, /still has resources/)
    const gone = await fetch(`${server.baseUrl}/ssh_keys/${created.body.ssh_key.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(gone.status, 204)
    assert.deepEqual(await wolke('project', 'delete', 'second', ...database), {
      code: 0,
      stdout: 'Project second deleted\n',
      stderr: '',
    })
    checkFailure(await wolke('project', 'delete', 'second', ...database), 1, /there is no project named 'second'/)
    checkFailure(
      await wolke('token', 'create', '--project', 'second', ...database),
      1,
      /there is no project named 'second'/,
    )
    assert.ok(!(await wolke('token', 'list', ...database)).stdout.includes('second'))
  })
})

describe('Mail to the owner of a Project', { concurrency: 2 }, () => {
  /** An installation with a certificate that is valid until the end of 2035. */
  async function prepare(t: TestContext) {
    const { url } = await place()
    const database = ['--database', url]
    const server = await serve(t, ...database)
    const uploaded = await api(server.baseUrl, tokenOf(server)!, '/certificates', {
      name: 'web',
      ...selfSigned('a.example'),
    })
    assert.equal(uploaded.status, 201)
    await server.end('SIGTERM')
    const list = async () => {
      const { stdout } = await wolke('mail', 'list', ...database)
      return stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t').slice(2))
    }
    return { database, list, subject: `Expires within 4 days: certificate ${uploaded.body.certificate.id}` }
  }

  test('is sent once the server of mail is known, again under the same Message-ID after a kill, and listed', async (t) => {
    const { database, list, subject } = await prepare(t)
    const changed = await wolke('project', 'set', 'default', '--owner-email', 'owner@example.org', ...database)
    assert.deepEqual([changed.code, changed.stdout], [0, 'Project default changed\n'])
    assert.match((await wolke('project', 'list', ...database)).stdout, /\towner@example\.org\n$/)
    assert.deepEqual(await list(), [])
    const mailServer = await openMailServer()
    t.after(() => mailServer.close())
    const holding = gate()
    mailServer.behaviour.message = () => holding.pass() as Promise<undefined>
    const options = [...database, '--now', '2035-12-28', '--smtp', mailServer.url, '--mail-from', 'cloud@example.com']
    const first = await serve(t, ...options)
    await until(() => holding.arrived === 1)
    const mail = ['default', 'owner@example.org', 'waiting', '1', subject, '']
    assert.deepEqual(await list(), [mail])
    await first.end('SIGKILL')
    holding.open()
    const second = await serve(t, ...options)
    await until(() => mailServer.received.length === 2)
    assert.equal(await second.end('SIGTERM'), 0)
    const [one, other] = mailServer.received.map((received) => received.header('message-id'))
    assert.equal(one, other)
    assert.deepEqual(await list(), [mail.with(2, 'sent').with(3, '2')])
  })

  test('is written to the log where no server of mail is known', async (t) => {
    const { database, list, subject } = await prepare(t)
    const options = [...database, '--now', '2035-12-28', '--log-level', 'info']
    const server = await serve(t, ...options, '--owner-email', 'owner@example.org')
    await until(() => server.texts.stderr.includes(subject))
    assert.equal(await server.end('SIGTERM'), 0)
    const mail = ['default', 'owner@example.org', 'logged', '1', subject, '']
    assert.deepEqual(await list(), [mail])
    const [id] = (await wolke('mail', 'list', ...database)).stdout.split('\t')
    assert.equal((await wolke('mail', 'retry', id!, ...database)).stdout, `Mail ${id} is queued\n`)
    assert.deepEqual(await list(), [mail.with(2, 'waiting').with(3, '0')])
    checkFailure(await wolke('mail', 'retry', id!, ...database), 1, /no mail with this ID/)
  })

  test('has an owner from the first moment of a Project on, until it is taken away', async (t) => {
    const { url } = await place()
    const database = ['--database', url]
    await (await serve(t, ...database)).end('SIGTERM')
    await wolke('project', 'create', 'second', '--owner-email', 'second@example.org', ...database)
    assert.match((await wolke('project', 'list', ...database)).stdout, /^\d+\tsecond\t\S+Z\tsecond@example\.org\n$/m)
    await wolke('project', 'set', 'second', '--owner-email', 'none', ...database)
    assert.match((await wolke('project', 'list', ...database)).stdout, /\tnone\n$/)
    const unknown = await wolke('project', 'set', 'third', '--owner-email', 'none', ...database)
    checkFailure(unknown, 1, /there is no project named 'third'/)
  })
})
