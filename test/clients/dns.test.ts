/** Name servers, a resolver and tools as distributions package them, against ours. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../kit/ports.ts'
import { findProgram, run, type Service, serve, skipWithout } from './kit/clients.ts'

const portOf = ({ dns }: Service) => Number(dns.split(':').at(-1))

async function dig(port: number, ...args: string[]): Promise<string> {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+time=2', '+tries=1', ...args])
  return stdout.trim()
}

/** Asks until the answer is the one that is waited for. */
async function until(expected: string | RegExp, answer: () => Promise<string>): Promise<void> {
  let last = ''
  for (let tries = 0; tries < 300; tries++) {
    last = await answer()
    if (typeof expected === 'string' ? last === expected : expected.test(last)) return
    await delay(50)
  }
  assert.fail(`${expected} was expected, the last answer was ${last}`)
}

/** Runs a server until the test is over. */
function runServer(t: TestContext, program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'ignore' })
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  t.after(async () => {
    process.off('exit', end)
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  })
}

function caller({ env }: Service) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(env.HCLOUD_ENDPOINT + path, {
      method,
      headers: { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${text}`)
    return JSON.parse(text)
  }
}

const zonefile = `$TTL 600
www 300 IN A 192.0.2.1 ; the first
www IN AAAA 2001:db8::1
@ IN MX 10 mail
@ IN CAA 0 issue "ca.example"
@ IN HTTPS 1 . alpn="h2,h3" port=8443
_sip._tcp IN SRV 1 2 5060 sip
* IN TXT "wild; card" "two"
alias IN CNAME www
sub IN NS ns.sub
ns.sub IN A 192.0.2.53
_443._tcp IN TLSA 3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6
rp IN RP me.example.com. .
`

async function serveZone(t: TestContext, more: readonly string[] = []) {
  const service = await serve('memory', more)
  t.after(() => service.stop())
  const call = caller(service)
  await call('POST', '/zones', { name: 'example.com', mode: 'primary', zonefile })
  return { service, call, port: portOf(service) }
}

it('dig and kdig read the answers', async (t) => {
  if (!findProgram('dig') || !findProgram('kdig')) return skipWithout(t, 'dig and kdig are not installed')
  const { port, service } = await serveZone(t)
  assert.equal(await dig(port, '+short', 'www.example.com'), '192.0.2.1')
  assert.equal(await dig(port, '+short', '+tcp', 'alias.example.com', 'AAAA'), 'www.example.com.\n2001:db8::1')
  assert.equal(await dig(port, '+short', 'example.com', 'HTTPS'), '1 . alpn="h2,h3" port=8443')
  assert.equal(await dig(port, '+short', 'anything.example.com', 'TXT'), '"wild; card" "two"')
  assert.match(
    await dig(port, 'x.sub.example.com'),
    /AUTHORITY SECTION:\nsub\.example\.com\.\s+600\s+IN\s+NS\s+ns\.sub\.example\.com\./,
  )
  assert.match(await dig(port, 'nothing.www.example.com'), /status: NXDOMAIN/)
  assert.match(await dig(port, 'example.org'), /status: REFUSED/)
  const kdig = await run('kdig', [
    '@127.0.0.1',
    '-p',
    String(portOf(service)),
    '+short',
    '_443._tcp.example.com',
    'TLSA',
  ])
  assert.match(kdig.stdout, /^3 1 1 0C72AC70/)
})

it('named-checkzone accepts an exported zone file', async (t) => {
  const checker = findProgram('named-checkzone')
  if (!checker) return skipWithout(t, 'named-checkzone is not installed')
  const { call, service } = await serveZone(t)
  const file = join(service.folder, 'example.com.zone')
  const exported = (await call('GET', '/zones/example.com/zonefile')).zonefile
  writeFileSync(file, exported)
  const { code, stdout } = await run(checker, ['-i', 'local', 'example.com', file])
  assert.equal(code, 0, stdout)
  assert.match(stdout, /loaded serial \d{10}/)
})

it('unbound resolves through us', async (t) => {
  const unbound = findProgram('unbound')
  if (!unbound || !findProgram('dig')) return skipWithout(t, 'unbound is not installed')
  const { port, service, call } = await serveZone(t)
  const own = await freePort()
  const file = join(service.folder, 'unbound.conf')
  const lines = [
    ...[
      'server:',
      '  interface: 127.0.0.1',
      `  port: ${own}`,
      '  username: ""',
      '  chroot: ""',
      `  directory: "${service.folder}"`,
    ],
    ...[
      '  pidfile: ""',
      '  use-syslog: no',
      '  do-daemonize: no',
      '  do-not-query-localhost: no',
      '  module-config: "iterator"',
    ],
    ...['  use-caps-for-id: yes', '  qname-minimisation: yes', '  local-zone: "2.0.192.in-addr.arpa." nodefault'],
    ...['remote-control:', '  control-enable: no'],
    ...['example.com', '2.0.192.in-addr.arpa'].flatMap((name) => [
      'stub-zone:',
      `  name: "${name}"`,
      `  stub-addr: 127.0.0.1@${port}`,
    ]),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  runServer(t, unbound, ['-c', file])
  await until('192.0.2.1', () => dig(own, '+short', 'www.example.com'))
  assert.equal(await dig(own, '+short', 'alias.example.com', 'AAAA'), 'www.example.com.\n2001:db8::1')
  assert.match(await dig(own, 'b.nothing.www.example.com'), /status: NXDOMAIN/)
  const { floating_ip } = await call('POST', '/floating_ips', { type: 'ipv4', home_location: 'hel1' })
  assert.equal(await dig(own, '+short', '-x', floating_ip.ip), `${floating_ip.dns_ptr[0].dns_ptr}.`)
})

/** Writes Knot's configuration and starts it. */
function startKnot(t: TestContext, folder: string, port: number, sections: readonly string[]): string {
  // This Knot does not survive a folder that is missing for its catalog.
  mkdirSync(join(folder, 'db'), { recursive: true })
  const file = join(folder, 'knot.conf')
  const head = ['server:', `  listen: 127.0.0.1@${port}`, `  rundir: ${folder}`, 'database:', `  storage: ${folder}/db`]
  writeFileSync(file, `${[...head, ...sections].join('\n')}\n`)
  runServer(t, findProgram('knotd')!, ['-c', file])
  return file
}

it('Knot as a secondary has our zone, and hears of each change', async (t) => {
  if (!findProgram('knotd') || !findProgram('dig')) return skipWithout(t, 'knotd is not installed')
  const knotPort = await freePort()
  const { service, call, port } = await serveZone(t, [`--dns-transfer-to=127.0.0.1:${knotPort}`])
  const folder = join(service.folder, 'knot')
  startKnot(t, folder, knotPort, [
    ...['remote:', '  - id: wolke', `    address: 127.0.0.1@${port}`],
    ...['acl:', '  - id: words', '    address: 127.0.0.1', '    action: notify'],
    ...['zone:', '  - domain: example.com', '    master: wolke', '    acl: words', `    storage: ${folder}`],
  ])
  await until('192.0.2.1', () => dig(knotPort, '+short', 'www.example.com'))
  const transferred = async (at: number) => {
    const text = await dig(at, '+noall', '+answer', '+onesoa', 'example.com', 'AXFR')
    return text
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' '))
      .sort()
  }
  assert.equal(await dig(knotPort, '+short', 'example.com', 'HTTPS'), '1 . alpn="h2,h3" port=8443')
  assert.equal((await transferred(port)).length, 16)
  await call('POST', '/zones/example.com/rrsets/www/A/actions/set_records', { records: [{ value: '192.0.2.99' }] })
  await until('192.0.2.99', () => dig(knotPort, '+short', 'www.example.com'))
  await call('DELETE', '/zones/example.com/rrsets/alias/CNAME')
  await until(/status: NOERROR[\s\S]*ANSWER: 1/, () => dig(knotPort, 'alias.example.com', 'TXT'))
})

it('Knot finds new zones through the catalog', async (t) => {
  if (!findProgram('knotd') || !findProgram('dig')) return skipWithout(t, 'knotd is not installed')
  const knotPort = await freePort()
  const { service, call, port } = await serveZone(t, [`--dns-transfer-to=127.0.0.1:${knotPort}`])
  const folder = join(service.folder, 'knot')
  startKnot(t, folder, knotPort, [
    ...['remote:', '  - id: wolke', `    address: 127.0.0.1@${port}`],
    ...['acl:', '  - id: words', '    address: 127.0.0.1', '    action: notify'],
    ...['template:', '  - id: member', '    master: wolke', '    acl: words', `    storage: ${folder}`],
    ...['zone:', '  - domain: catalog.wolke.example', '    master: wolke', '    acl: words', `    storage: ${folder}`],
    ...['    catalog-role: interpret', '    catalog-template: member'],
  ])
  await until('192.0.2.1', () => dig(knotPort, '+short', 'www.example.com'))
  await call('POST', '/zones', { name: 'new.example', mode: 'primary', zonefile: 'www A 192.0.2.77' })
  await until('192.0.2.77', () => dig(knotPort, '+short', 'www.new.example'))
  await call('DELETE', '/zones/new.example')
  await until(/status: REFUSED/, () => dig(knotPort, 'www.new.example'))
})

for (const algorithm of ['hmac-md5', 'hmac-sha1', 'hmac-sha256']) {
  it(`Knot as a primary gives us its zone, signed with ${algorithm}, and tells us of changes`, async (t) => {
    const knotc = findProgram('knotc')
    if (!knotc || !findProgram('dig')) return skipWithout(t, 'knotd is not installed')
    const knotPort = await freePort()
    const { service, call, port } = await serveZone(t, ['--dns-private-primaries=127.0.0.0/8'])
    const folder = join(service.folder, 'knot')
    const secret = Buffer.from('thirty-two bytes of a secret key').toString('base64')
    const zone = (serial: number, address: string) =>
      `@ 60 SOA ns me ${serial} 3600 600 86400 60\n@ 60 NS ns\nns 60 A 192.0.2.53\nwww 60 A ${address}\n`
    mkdirSync(join(service.folder, 'zones'))
    const file = join(service.folder, 'zones/other.example.zone')
    writeFileSync(file, zone(1, '198.51.100.1'))
    const config = startKnot(t, folder, knotPort, [
      ...['key:', '  - id: other.example', `    algorithm: ${algorithm}`, `    secret: ${secret}`],
      ...['remote:', '  - id: wolke', `    address: 127.0.0.1@${port}`],
      ...['acl:', '  - id: transfers', '    address: 127.0.0.1', '    key: other.example', '    action: transfer'],
      ...['zone:', '  - domain: other.example', `    storage: ${join(service.folder, 'zones')}`],
      ...['    file: other.example.zone', '    notify: wolke', '    acl: transfers'],
    ])
    await until('198.51.100.1', () => dig(knotPort, '+short', 'www.other.example'))
    const primary = { address: '127.0.0.1', port: knotPort, tsig_algorithm: algorithm, tsig_key: secret }
    await call('POST', '/zones', { name: 'other.example', mode: 'secondary', primary_nameservers: [primary] })
    await until('198.51.100.1', () => dig(port, '+short', 'www.other.example'))
    writeFileSync(file, zone(2, '198.51.100.2'))
    await run(knotc, ['-c', config, 'zone-reload', 'other.example'])
    await until('198.51.100.2', () => dig(port, '+short', 'www.other.example'))
    assert.equal((await call('GET', '/zones/other.example')).zone.record_count, 4)
  })
}
