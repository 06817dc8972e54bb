/** A backup that was made under load brings everything back: resources, names, secrets. */

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import { findKeyPair } from '../../src/families/certificates/reads.ts'
import { serverBody } from '../../src/families/servers/proof.ts'
import { parseDatabaseUrl } from '../../src/kernel/data/dialect.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { unlock } from '../../src/kernel/secrets/installation.ts'
import { readKeyFile } from '../../src/kernel/secrets/key-file.ts'
import { run, skipWithout } from '../clients/kit/clients.ts'
import { ask } from '../dns/client.ts'
import { until } from '../kit/database/bare-database.ts'
import { execute, startPostgres } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { testClock } from '../kit/harness.ts'
import { selfSigned } from '../kit/samples/certificates.ts'
import { block } from '../operating/kit/pages.ts'
import { call, makeKey, program, type Served } from './kit/program.ts'

const { folder, serve, command } = program('backup')
const original = join(folder, 'original/wolke.db')
const upload = selfSigned('www.example.com')
const families = ['ssh_keys', 'firewalls', 'certificates', 'zones', 'floating_ips', 'servers', 'images']

async function make({ baseUrl }: Served, path: string, body: unknown) {
  const { status, json } = await call(baseUrl, 'POST', path, body)
  assert.equal(status, 201, JSON.stringify(json))
  return json
}

/** Something of everything. */
async function fill(server: Served): Promise<void> {
  const { ssh_key } = await make(server, '/ssh_keys', { name: 'key', public_key: makeKey(), labels: { a: 'b' } })
  const rule = { direction: 'in', protocol: 'tcp', port: '22', source_ips: ['0.0.0.0/0'] }
  await make(server, '/firewalls', { name: 'wall', rules: [rule] })
  await make(server, '/certificates', { name: 'web', ...upload })
  await make(server, '/zones', { name: 'example.com', mode: 'primary' })
  const records = [{ value: '203.0.113.7' }]
  await make(server, '/zones/example.com/rrsets', { name: 'www', type: 'A', ttl: 300, records })
  await make(server, '/floating_ips', { type: 'ipv4', home_location: 'fsn1', name: 'float' })
  const body = serverBody('server', { ssh_keys: [ssh_key.id] })
  const { server: made } = await make(server, '/servers', body)
  await until(async () => {
    const { json } = await call(server.baseUrl, 'GET', `/servers/${made.id}/actions`)
    return json.actions.every(({ status }: { status: string }) => status !== 'running')
  }, 'everything is in force')
}

/** All that the API shows, by family, but for what is found out about zones by itself. */
async function shown({ baseUrl }: Served): Promise<Record<string, { id: number; name: string }[]>> {
  const all: Record<string, { id: number; name: string }[]> = {}
  for (const family of [...families, 'zones/example.com/rrsets']) {
    const found: { id: number; name: string }[] = []
    for (let page = 1; page > 0; ) {
      const { json } = await call(baseUrl, 'GET', `/${family}?per_page=50&page=${page}`)
      const rows: { id: number; name: string; authoritative_nameservers?: object }[] = json[family.split('/').at(-1)!]
      found.push(...rows.map(({ authoritative_nameservers: _, ...row }) => row))
      page = json.meta.pagination.next_page ?? 0
    }
    all[family] = found
  }
  return all
}

/** Makes firewalls one after the other until it is stopped; returns their ids in order. */
function write({ baseUrl }: Served, name: string) {
  let stopping = false
  const ids: number[] = []
  const work = async () => {
    for (let i = 0; !stopping; i++) {
      const { json } = await call(baseUrl, 'POST', '/firewalls', { name: `${name}-${i}` })
      ids.push(json.firewall.id)
    }
    return ids
  }
  const done = work()
  return {
    ids,
    stop: () => {
      stopping = true
      return done
    },
  }
}

const isWritten = ({ name }: { name: string }) => /^w\d-\d+$/.test(name)

/** A server with something of everything, to which three write without a pause until they are stopped. */
async function putToUse(server: Served) {
  await fill(server)
  const atBackup = await shown(server)
  const writers = [1, 2, 3].map((i) => write(server, `w${i}`))
  await until(() => writers.every(({ ids }) => ids.length > 5), 'others write')
  const writtenBefore = writers.map(({ ids }) => ids.length)
  return {
    stop: () => Promise.all(writers.map((writer) => writer.stop())),

    /** What was answered before the backup is there, a moment of what came meanwhile, and no id comes again. */
    async checkRestored(next: Served): Promise<void> {
      const found = await shown(next)
      const written = found.firewalls!.filter(isWritten)
      assert.deepEqual(
        { ...found, firewalls: found.firewalls!.filter((firewall) => !isWritten(firewall)) },
        atBackup,
        'what was there before is as it was',
      )
      writers.forEach(({ ids }, i) => {
        const kept = written.filter(({ name }) => name.startsWith(`w${i + 1}-`)).map(({ id }) => id)
        assert.deepEqual(kept, ids.slice(0, kept.length), 'what was written meanwhile has no holes')
        assert.ok(kept.length >= writtenBefore[i]!, 'what was answered before the backup is in it')
      })
      const { address: host, port } = next.dns
      assert.ok(JSON.stringify((await ask({ host, port }, 'www.example.com', 'A')).answers).includes('203.0.113.7'))
      const { firewall } = await make(next, '/firewalls', { name: 'after' })
      assert.ok(firewall.id > Math.max(...writers.flatMap(({ ids }) => ids)), 'no id that was given out comes again')
    },
  }
}

describe('wolke backup and wolke restore', () => {
  let server: Served
  let use: Awaited<ReturnType<typeof putToUse>>
  const file = join(folder, 'kept/backup.db')

  before(async () => {
    mkdirSync(join(folder, 'kept'))
    server = await serve(`sqlite:${original}`)
    use = await putToUse(server)
  })

  test('keep everything that was answered before, and a moment of what is written meanwhile', async () => {
    const made = await command('backup', file, '--database', `sqlite:${original}`)
    assert.deepEqual([made.code, made.stderr], [0, ''])
    assert.match(
      made.stdout,
      /^Backed up .*wolke\.db to .*backup\.db: \d+ rows in \d+ tables, schema \d{4}-\S+\nFiles of Storage Boxes are not in it: .*\n$/,
    )
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(join(folder, 'kept')), ['backup.db'])
    await use.stop()
    await server.stop()

    const target = join(folder, 'fresh/deep/wolke.db')
    const restored = await command('restore', file, '--database', `sqlite:${target}`)
    assert.equal(restored.code, 0)
    assert.match(
      restored.stdout,
      /^Restored .*wolke\.db from .*backup\.db: \d+ rows in \d+ tables, schema \d{4}-\S+\n$/,
    )
    assert.match(
      restored.stderr,
      /^wolke: warning: the secrets in this backup need the key \w{16}, which \S+wolke\.db\.key does not hold/,
    )
    assert.equal(statSync(target).mode & 0o777, 0o600)
    copyFileSync(`${original}.key`, `${target}.key`)
    const next = await serve(`sqlite:${target}`)
    await use.checkRestored(next)
    await next.stop()
    await checkCertificate(`sqlite:${target}`, `${target}.key`)
  })

  test('refuse what would destroy something, in one line, and change nothing', async () => {
    const database = `sqlite:${original}`
    const at = join(folder, 'refused')
    mkdirSync(at)
    const [noise, foreign, newer, cut] = ['noise', 'foreign', 'newer', 'cut'].map((name) => join(at, name))
    writeFileSync(noise!, 'noise'.repeat(3_000))
    new DatabaseSync(foreign!).exec('create table a (b)')
    copyFileSync(file, newer!)
    new DatabaseSync(newer!).exec(
      "insert into migration (id, position) values ('9999-newer', 9999); update schema_floor set known = known + 1000",
    )
    const bytes = new DatabaseSync(file, { readOnly: true })
    const leaf = bytes.prepare("select pageno from dbstat where name = 'firewall' and pagetype = 'leaf' limit 1").get()
    bytes.close()
    copyFileSync(file, cut!)
    const damaged = new Uint8Array(await import('node:fs/promises').then(({ readFile }) => readFile(cut!)))
    damaged.fill(0xff, (Number(leaf!.pageno) - 1) * 4096, Number(leaf!.pageno) * 4096)
    writeFileSync(cut!, damaged)
    const before = [readdirSync(at), readdirSync(join(folder, 'original'))]
    const running = await serve(database)
    const cases: [args: string[], says: RegExp][] = [
      [['backup', file, '--database', database], /backup\.db already exists; use --overwrite to replace it/],
      [['backup', original, '--overwrite', '--database', database], /is the database itself/],
      [['backup', join(at, 'none/b.db'), '--database', database], /ENOENT/],
      [['backup', join(at, 'b.db'), '--database', `sqlite:${at}/none.db`], /there is no database at/],
      [['backup', join(at, 'b.db'), '--database', `sqlite:${noise}`], /noise: it is damaged/],
      [['restore', file, '--database', database], /a wolke serve is using .*: stop it first/],
    ]
    for (const [args, says] of cases) await refuses(args, says)
    await running.stop()
    const refused: [args: string, says: RegExp][] = [
      [noise!, /noise: it is damaged \(file is not a database\)/],
      [foreign!, /it is not a Wolke database/],
      [newer!, /9999-newer.*use a newer version/],
      [cut!, /it is damaged/],
      [join(at, 'absent'), /there is no backup at/],
      [original, /is the database itself/],
    ]
    for (const [from, says] of refused) await refuses(['restore', from, '--database', database], says)
    await refuses(['restore', noise!, '--database', `sqlite:${at}/new/wolke.db`], /is damaged/)
    assert.deepEqual([readdirSync(at), readdirSync(join(folder, 'original'))], before)
    const { code, stderr } = await command('backup', 'x', '--database', 'postgres://me:secret@localhost/wolke')
    assert.deepEqual([code, stderr.includes('secret')], [2, false])
    assert.match(
      stderr,
      /^wolke: use PostgreSQL's own tools, .*pg_dump --format=custom --file=x postgres:\/\/localhost\/wolke\n$/,
    )
  })

  test('put a backup in the place of a damaged database, and keep that', async () => {
    const at = join(folder, 'damaged')
    mkdirSync(at)
    const path = join(at, 'wolke.db')
    writeFileSync(path, 'noise'.repeat(3_000))
    writeFileSync(`${path}-wal`, 'wal')
    copyFileSync(`${original}.key`, `${path}.key`)
    const { code, stdout, stderr } = await command('restore', file, '--database', `sqlite:${path}`)
    assert.deepEqual([code, stderr], [0, ''])
    const aside = /^The database that was there is (\S+\.before-\d{8}T\d{6}Z)$/m.exec(stdout)![1]!
    assert.equal(statSync(aside).size, 15_000)
    assert.ok(existsSync(`${aside}-wal`))
    const next = await serve(`sqlite:${path}`)
    assert.equal((await call(next.baseUrl, 'GET', '/zones/example.com')).status, 200)
    await next.stop()
  })
})

/** What the documentation says in place of `wolke backup` and `wolke restore` for PostgreSQL, as a script. */
function documentedCommands(url: string): string {
  const { hostname, port, password } = new URL(url)
  return block('backups.md', 'pg_dump')
    .text.replaceAll('postgres://wolke@db.example/', `postgres://wolke:${password}@${hostname}:${port}/`)
    .replaceAll('-h db.example', `-h ${hostname} -p ${port}`)
}

/** The folder of a PostgreSQL with the tools that the documentation names; undefined where none is installed. */
function findPostgres(): string | undefined {
  const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb', 'psql']
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ]
  return folders.find((path) => programs.every((name) => existsSync(join(path, name))))
}

test('what is documented for PostgreSQL keeps the same, while the server goes on', onPostgres, async (t) => {
  const programs = findPostgres()
  if (!programs) return skipWithout(t, 'no PostgreSQL with its tools is installed')
  const postgres = await startPostgres({ programs })
  t.after(() => postgres.stop())
  const url = new URL(postgres.url)
  const { password } = url
  await execute(postgres.url, `create role wolke login password '${password}'`, 'create database wolke owner wolke')
  url.username = 'wolke'
  url.pathname = '/wolke'
  const keyFile = join(folder, 'postgres.key')
  const server = await serve(url.href, '--key-file', keyFile)
  const use = await putToUse(server)
  const env = { PATH: programs + delimiter + process.env.PATH, PGPASSWORD: password }
  const { code, stderr } = await run('sh', ['-ec', documentedCommands(url.href)], { cwd: folder, env })
  assert.deepEqual([code, stderr], [0, ''])
  await use.stop()
  await server.stop()

  url.pathname = '/wolke_restored'
  const next = await serve(url.href, '--key-file', keyFile)
  await use.checkRestored(next)
  await next.stop()
  await checkCertificate(url.href, keyFile)
})

async function refuses(args: string[], says: RegExp): Promise<void> {
  const { code, stdout, stderr } = await command(...args)
  assert.match(stderr, says)
  assert.match(stderr, /^wolke: nothing was (backed up|restored): [^\n]+\n$|^wolke: a wolke serve is using [^\n]+\n$/)
  assert.deepEqual([code, stdout], [1, ''])
}

/** The private key that was uploaded can be read with the key file. */
async function checkCertificate(database: string, keyFile: string): Promise<void> {
  const db = await openDatabase(parseDatabaseUrl(database)!, { clock: testClock() })
  try {
    const secrets = await unlock(db, { current: readKeyFile(keyFile)!, previous: undefined })
    const row = await acrossProjects(db.query)
      .selectFrom('certificate')
      .select(['id', 'project_id'])
      .executeTakeFirstOrThrow()
    const pair = await findKeyPair(db.query, secrets, { projectId: row.project_id } as never, row.id)
    assert.equal(pair?.privateKey.trim(), upload.private_key.trim())
  } finally {
    await db.close()
  }
}
