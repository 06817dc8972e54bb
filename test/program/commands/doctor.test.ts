/** `wolke doctor` beside real servers and without them, with each fault made for real. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { checkIds } from '../../../src/doctor/diagnosis.ts'
import { closeAdmin, createDatabase, execute, postgresUrl } from '../../kit/database/postgres.ts'
import { engines } from '../../kit/engines.ts'
import { certify, der, keyPem, party, pem, sequence } from '../../kit/samples/certificates.ts'
import { openMailServer } from '../../stubs/smtp.ts'
import { assertFinding, consult } from '../kit/doctored.ts'
import { call, program } from '../kit/program.ts'

const place = program('doctor')
const { folder, serve, command } = place
after(closeAdmin)

const fileAt = (name: string) => {
  mkdirSync(join(folder, name), { recursive: true })
  return join(folder, name, 'wolke.db')
}

for (const engineName of engines) {
  describe(`wolke doctor on ${engineName}`, () => {
    let url = `sqlite:${fileAt('healthy')}`
    before(async () => {
      if (engineName === 'postgres') url = (await createDatabase(await postgresUrl())).url
    })
    const keyFile = join(folder, `${engineName}.key`)
    const statement = (text: string) =>
      engineName === 'postgres' ? execute(url, text) : void new DatabaseSync(url.slice(7)).exec(text)

    test('finds nothing wrong with a server that runs well, and says what it looked at', async () => {
      const smtp = await openMailServer()
      const server = await serve(url, '--key-file', keyFile, '--smtp', smtp.url, '--mail-from', 'cloud@example.com')
      const { code, failing, found, of } = await consult(place, url)
      assert.deepEqual([code, failing], [0, []])
      assert.deepEqual([...new Set(found.map(({ check }) => check))], [...checkIds, 'certificates', 'zones'])
      assert.ok(found.every(({ verdict, advice }) => verdict === 'ok' || verdict === 'unknown' || advice !== null))
      assertFinding(of('process', 'process'), 'ok', new RegExp(`:${server.child.pid}`))
      assertFinding(of('mail', 'mail server'), 'ok', /^answers$/)
      assertFinding(of('ports', 'API'), 'ok', /HTTP/)
      assertFinding(of('ports', 'name server'), 'ok', /UDP and TCP/)
      assertFinding(of('keys', 'secrets'), 'ok', /can be opened/)
      const text = await command('doctor', '--database', url)
      assert.match(text.stdout, /\n\d+ ok, 0 WARNING, 0 FAILS, \d+ unknown\n$/)
      await smtp.close()
      const down = await consult(place, url)
      assert.deepEqual([down.code, down.failing.length], [1, 1])
      assert.match(down.stderr, /^wolke: 1 of \d+ fails\n$/)
      assertFinding(down.of('mail', 'mail server'), 'failure', /ECONNREFUSED/, /--smtp/)
      await server.stop()
    })

    test('sees a key that others may read, beside a server that goes on with it', async () => {
      const server = await serve(url, '--key-file', keyFile)
      chmodSync(keyFile, 0o444)
      const { failing, of } = await consult(place, url)
      chmodSync(keyFile, 0o440)
      const grouped = await consult(place, url)
      chmodSync(keyFile, 0o400)
      assert.equal(failing.length, 1)
      assertFinding(of('keys', 'key file'), 'failure', /can be read by everybody/, /key file/)
      assertFinding(grouped.of('keys', 'key file'), 'warning', /group/, /chmod/)
      await server.stop()
    })

    test('says without a server that none runs, and looks at the rest from outside', async () => {
      const { code, failing, of } = await consult(place, url, '--key-file', keyFile)
      assert.deepEqual([code, failing], [1, ['process process']])
      assertFinding(of('process', 'process'), 'failure', /no wolke serve runs/, /start wolke serve/)
      assertFinding(of('database', 'schema'), 'ok', /as this program wants it/)
      assertFinding(of('keys', 'secrets'), 'ok', /can be opened/)
      const lost = await consult(place, url, '--key-file', join(folder, 'lost.key'))
      assertFinding(lost.of('keys', 'key file'), 'failure', /does not exist/, /copy of the key/)
      assertFinding(lost.of('keys', 'secrets'), 'unknown', /no key is at hand/)
    })

    test('sees a port that another program has, which keeps a server from starting', async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const { of } = await consult(place, url, '--key-file', keyFile, '--listen', `127.0.0.1:${port}`)
      other.close()
      assertFinding(of('ports', 'API'), 'failure', /EADDRINUSE/, /--listen/)
    })

    test('sees a key that does not open the secrets, and a rotation that was not ended', async () => {
      const next = join(folder, `${engineName}-next.key`)
      const server = await serve(url, '--key-file', next, '--previous-key-file', keyFile)
      const during = await consult(place, url)
      assert.deepEqual(during.failing, [])
      assertFinding(during.of('keys', 'secrets'), 'warning', /still needs? the previous key/, /wolke secrets rotate/)
      await server.stop()
      const wrong = await consult(place, url, '--key-file', next)
      assertFinding(wrong.of('keys', 'secrets'), 'failure', /cannot be opened/, /--previous-key-file/)
    })

    test('sees a schema of a newer version', async () => {
      await statement(`insert into migration (id, position) values ('9999-future', 9999)`)
      await statement('update schema_floor set known = known + 1000')
      const { failing, of } = await consult(place, url, '--key-file', keyFile)
      assertFinding(of('database', 'schema'), 'failure', /'9999-future'/, /newer version/)
      assert.ok(failing.includes('database schema'))
      await statement(`delete from migration where id = '9999-future'`)
      await statement('update schema_floor set known = known - 1000')
    })
  })
}

test('a database that is not there is one failure, and what would be read of it is unknown', async () => {
  const { code, found, of } = await consult(place, `sqlite:${join(folder, 'nowhere', 'wolke.db')}`)
  assert.equal(code, 1)
  assertFinding(of('database', 'connection'), 'failure', /ENOENT|no such file/, /--database/)
  for (const check of ['mail', 'zones', 'clock'] as const)
    assert.ok(
      found.some((one) => one.check === check && one.verdict === 'unknown'),
      check,
    )
})

test('damaged pages are seen beside the server, which is told so by nobody', async () => {
  const file = fileAt('damaged')
  await (await serve(`sqlite:${file}`)).stop()
  const pages = new DatabaseSync(file)
  const { rootpage } = pages.prepare("select rootpage from sqlite_master where name = 'audit'").get() as {
    rootpage: number
  }
  const { page_size: size } = pages.prepare('pragma page_size').get() as { page_size: number }
  pages.close()
  const copy = fileAt('damaged-copy')
  copyFileSync(file, copy)
  copyFileSync(`${file}.key`, `${copy}.key`)
  execFileSync('dd', [
    ...[
      'if=/dev/urandom',
      `of=${copy}`,
      `bs=${size}`,
      'count=1',
      `seek=${rootpage - 1}`,
      'conv=notrunc',
      'status=none',
    ],
  ])
  const { failing, of } = await consult(place, `sqlite:${copy}`)
  assert.ok(failing.includes('database pages'))
  assertFinding(of('database', 'pages'), 'failure', /./, /restore a backup/)
})

test('the certificate of the API is told to have ended, or to end soon', async () => {
  const dates = (from: string, until: string) =>
    sequence(der(0x17, Buffer.from(`${from}Z`)), der(0x17, Buffer.from(`${until}Z`)))
  const own = party('localhost')
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(paths.key, keyPem(own.privateKey))
  const shown = async (until: string) => {
    const made = certify(own, own, { domains: ['localhost'], validity: dates('250101000000', until) })
    writeFileSync(paths.cert, pem('CERTIFICATE', made))
    const server = await serve('memory', '--tls-cert', paths.cert, '--tls-key', paths.key)
    const { of } = await consult(place, 'memory')
    assertFinding(of('ports', 'API'), 'ok', /HTTPS/)
    await server.stop()
    return of('tls', 'of the API')
  }
  const inDays = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)
  assertFinding(await shown('250601000000'), 'failure', /^ended \d+ days ago$/, /--tls-cert/)
  assertFinding(await shown(inDays(5)), 'warning', /^ends in [45] days$/, /--tls-cert/)
  assertFinding(await shown(inDays(90)), 'ok', /^ends in \d+ days$/)
})

const asRoot = process.getuid?.() === 0 && process.platform === 'linux' ? {} : { skip: 'needs root, to mount' }

test('a disk that is full, or has no room for more files, is seen', asRoot, async (t) => {
  const mount = (name: string, options: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
    t.after(() => execFileSync('umount', ['-l', path]))
    return `sqlite:${join(path, 'wolke.db')}`
  }
  const small = mount('small', 'size=48m')
  const server = await serve(small)
  const { failing, of } = await consult(place, small)
  await server.stop()
  assert.ok(failing.length > 0 && failing.every((one) => one.startsWith('disk ')), failing.join())
  assertFinding(of('disk', 'data'), 'failure', /^4\d MiB of 48 MiB free$/, /make room/)
  const few = mount('few', 'size=2g,nr_inodes=500')
  const other = await serve(few)
  const crowded = await consult(place, few)
  await other.stop()
  assert.ok(
    crowded.found.some(
      ({ check, seen, verdict }) => check === 'disk' && /inodes free of 500/.test(seen) && verdict === 'failure',
    ),
  )
})

test('the age of the latest backup is known', async () => {
  const url = `sqlite:${fileAt('backed-up')}`
  const server = await serve(url)
  assertFinding((await consult(place, url)).of('disk', 'backup'), 'unknown', /none was made/, /wolke backup/)
  assert.equal((await command('backup', join(folder, 'copy.db'), '--database', url)).code, 0)
  assertFinding((await consult(place, url)).of('disk', 'backup'), 'ok', /^the latest is 0 days old$/)
  await server.stop()
  const late = await serve(url, '--now', new Date(Date.now() + 10 * 86_400_000).toISOString())
  assertFinding(
    (await consult(place, url)).of('disk', 'backup'),
    'warning',
    /^the latest is 10 days old$/,
    /wolke backup/,
  )
  assertFinding((await consult(place, url)).of('clock', 'time shown'), 'ok', /ahead of this machine/)
  await late.stop()
})

test('hosts that do not answer are a failure, with the reason', async () => {
  const url = `sqlite:${fileAt('hosts')}`
  const away = [
    '--infrastructure',
    'incus',
    '--incus',
    `unix:${folder}/incus.socket`,
    '--metadata-address',
    '192.0.2.1:80',
  ]
  const server = await serve(url, ...away)
  const { code, of } = await consult(place, url)
  assert.equal(code, 1)
  assertFinding(of('hosts', 'incus'), 'failure', /do not answer/, /docs\/hosts.md/)
  await server.stop()
})

test('zones are looked for at their parents: one that is delegated to others fails', async () => {
  const names = ['--nameservers', 'ns1.ours.example']
  const parent = await serve('memory', ...names)
  const elsewhere = await serve('memory', '--nameservers', 'ns1.theirs.example')
  for (const { baseUrl } of [parent, elsewhere])
    assert.equal((await call(baseUrl, 'POST', '/zones', { name: 'shop.example', mode: 'primary' })).status, 201)
  const url = `sqlite:${fileAt('zones')}`
  const asked = async (resolver: { address: string; port: number } | undefined) => {
    const given = resolver ? ['--delegation-check', 'on', '--resolver', `${resolver.address}:${resolver.port}`] : []
    const server = await serve(url, ...names, ...given)
    await call(server.baseUrl, 'POST', '/zones', { name: 'shop.example', mode: 'primary' })
    const said = await consult(place, url)
    await server.stop()
    return said
  }
  assertFinding((await asked(parent.dns)).of('zones', 'delegation'), 'ok', /^1 zone delegated to us$/)
  assertFinding((await asked(elsewhere.dns)).of('zones', 'shop.example'), 'failure', /does not delegate/, /ns1\.ours/)
  assertFinding((await asked(undefined)).of('zones', 'delegation'), 'unknown', /--delegation-check is off/, /on$/)
  for (const server of [parent, elsewhere]) await server.stop()
})

test('a server with its data in memory is asked through its socket', async () => {
  const server = await serve('memory')
  const { code, failing, of } = await consult(place, 'memory')
  assert.deepEqual([code, failing], [0, []])
  assertFinding(of('keys', 'key file'), 'ok', /in memory/)
  await server.stop()
  const gone = await command('doctor', '--database', 'memory')
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /no wolke serve --database memory of this user is running/)
})
