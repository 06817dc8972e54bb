/** Secondary zones follow Knot and BIND by what changes in them, signed with TSIG. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram, run } from '../clients/kit/clients.ts'
import { forEachDatabase } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, type Place, serveDns } from './client.ts'
import { goingClock } from './going-clock.ts'
import { type Primary, start } from './secondaries/programs.ts'

const without = (...names: string[]) => ({ skip: names.some((name) => !findProgram(name)) })
const zone = 'moving.example'
const secret = Buffer.from('a secret of both sides, long enough').toString('base64')
const settings = { zones: { privatePrimaries: ['127.0.0.0/8'] } }

/** The zone at a serial: some names stay, some go, some come and some have other records. */
function zonefileAt(serial: number): string {
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const records = numbers
    .filter((i) => (i + serial) % 50 !== 0)
    .map((i) => `n${i} ${i % 60 === 0 ? 60 + serial : 300} A 192.0.2.${i % 40 === 0 ? serial : 1}`)
  const more = [`come${serial} TXT "since ${serial}"`, `@ MX ${serial} mail`, 'sub NS ns.sub', 'ns.sub A 192.0.2.53']
  const head = ['$TTL 300', `@ SOA ns hostmaster ${serial} 60 60 86400 60`, '@ NS ns', 'ns A 192.0.2.2']
  return `${[...head, ...records, ...more].join('\n')}\n`
}

/** Every record of a zone as text, as dig reads them out of a transfer. */
async function recordsOf({ port }: Place, more: readonly string[] = []): Promise<string[]> {
  const options = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', '+onesoa', ...more]
  const { stdout } = await run('dig', [...options, zone, 'AXFR'])
  const lines = stdout.trim().split('\n')
  assert.ok(lines.length > 250, stdout)
  return lines.map((line) => line.replaceAll(/\s+/g, ' ')).sort()
}

forEachDatabase('A secondary zone', (open) => {
  async function follows(ofChanges: RegExp, begin: (folder: string) => Promise<Primary>) {
    const world = await open({ alone: true, clock: goingClock(), settings })
    const folder = mkdtempSync(join(tmpdir(), 'wolke-followed-'))
    const write = (serial: number) => writeFileSync(join(folder, `${zone}.zone`), zonefileAt(serial))
    write(1)
    const primary = await begin(folder)
    try {
      const until = async (serial: number) => {
        const is = async () => (await ask(primary, zone, 'SOA')).answers[0]?.split(' ')[4] === String(serial)
        while (!(await is())) await delay(20)
      }
      await until(1)
      const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] })
      const source = { address: '127.0.0.1', port: primary.port, tsig_algorithm: 'hmac-sha256', tsig_key: secret }
      const body = { name: zone, mode: 'secondary', primary_nameservers: [source] }
      expect(await world.api.post('/zones', body), 201)
      await place.look()
      const same = async () => {
        assert.deepEqual(await recordsOf(place), await recordsOf(primary, ['-y', `hmac-sha256:${zone}:${secret}`]))
      }
      await same()
      for (const serials of [[2], [3, 4, 5]]) {
        for (const serial of serials) {
          write(serial)
          primary.reload()
          await until(serial)
        }
        world.clock.advance(61_000)
        await place.look()
        await same()
      }
      const told = primary.log.filter((line) => ofChanges.test(line))
      assert.equal(told.length, 2, primary.log.join('\n'))
    } finally {
      await primary.stop()
      rmSync(folder, { recursive: true })
    }
  }

  test('is what Knot has, of which it is sent the changes', without('knotd', 'dig'), () =>
    follows(/IXFR, outgoing, .*finished/, (folder) => {
      mkdirSync(join(folder, 'db'))
      const file = join(folder, 'knot.conf')
      return start(
        'knotd',
        (port) => {
          writeFileSync(file, knotConfiguration(folder, port))
          return ['-c', file]
        },
        /server started/,
      )
    }),
  )

  test('is what BIND has, of which it is sent the changes', without('named', 'dig'), () =>
    follows(/IXFR started/, (folder) => {
      const file = join(folder, 'named.conf')
      return start(
        'named',
        (port) => {
          const lines = [
            `key "${zone}" { algorithm hmac-sha256; secret "${secret}"; };`,
            `options { directory "${folder}"; pid-file none; session-keyfile none; lock-file none;`,
            `  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; };`,
            'controls { };',
            `zone "${zone}" { type primary; file "${zone}.zone"; ixfr-from-differences yes; notify no;`,
            `  allow-transfer { key "${zone}"; }; };`,
          ]
          writeFileSync(file, lines.join('\n'))
          return ['-g', '-n', '1', '-c', file]
        },
        / running$/,
      )
    }),
  )
})

const knotConfiguration = (folder: string, port: number) => `log:
  - target: stdout
    any: info
server:
  listen: 127.0.0.1@${port}
  rundir: ${folder}
database:
  storage: ${folder}/db
key:
  - id: ${zone}
    algorithm: hmac-sha256
    secret: ${secret}
acl:
  - id: secondary
    address: 127.0.0.1
    key: ${zone}
    action: transfer
zone:
  - domain: ${zone}
    storage: ${folder}
    file: ${zone}.zone
    zonefile-load: difference
    zonefile-sync: -1
    acl: secondary
`
