/** Zones for secondaries that sign with TSIG: dig and kdig ask and verify, and Knot and BIND have copies. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parseTsigKeys } from '../../src/protocols/net/dns/tsig-keys.ts'
import { findProgram, run } from '../clients/kit/clients.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, type Place, serveDns } from './client.ts'
import { goingClock } from './going-clock.ts'
import { type Primary, start } from './secondaries/programs.ts'

const without = (...names: string[]) => ({ skip: names.some((name) => !findProgram(name)) })

const algorithms = ['hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512']
const secret = (text: string) => Buffer.from(text.repeat(4)).toString('base64')
const statementOf = (algorithm: string, text = algorithm) =>
  `key "${algorithm}.lab" { algorithm ${algorithm}; secret "${secret(text)}"; };`
const keys = parseTsigKeys(algorithms.map((one) => statementOf(one)).join('\n'))
const keyOf = (algorithm: string) => [...keys.values()].find((key) => key.algorithm === algorithm)!

forEachDatabase('Signed transfers', (open) => {
  async function openZone(): Promise<World> {
    const world = await open({ alone: true, clock: goingClock() })
    const many = Array.from({ length: 900 }, (_, i) => `n${i} 60 TXT "${'x'.repeat(50)}"`).join('\n')
    expect(await world.api.post('/zones', { name: 'example.com', mode: 'primary', zonefile: many }), 201)
    return world
  }

  const asks = async (program: string, { port }: Place, key: string, ...more: string[]) => {
    const signed = key === '' ? [] : ['-y', key]
    const { stdout, stderr } = await run(program, ['@127.0.0.1', '-p', String(port), ...signed, ...more])
    return stdout + stderr
  }
  const countOf = (text: string) => text.split('\n').filter((line) => /\bTXT\b/.test(line)).length

  test('are verified by dig and kdig, message for message, with every algorithm', without('dig', 'kdig'), async () => {
    const world = await openZone()
    for (const algorithm of algorithms) {
      const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1, key: keyOf(algorithm) }] })
      const key = `${algorithm}:${algorithm}.lab:${secret(algorithm)}`
      for (const program of ['dig', 'kdig']) {
        const told = await asks(program, place, key, 'example.com', 'AXFR')
        assert.equal(countOf(told), 900, told.slice(0, 2_000))
        assert.doesNotMatch(told, /verify|validated|WARNING|BADSIG|BADKEY|BADTIME/)
      }
      const soa = await asks('dig', place, key, 'example.com', 'SOA')
      assert.match(soa, /status: NOERROR/)
      assert.doesNotMatch(soa, /could not be validated/)
      const large = await asks('dig', place, key, '+notcp', '+ignore', '+bufsize=512', 'example.com', 'SOA')
      assert.match(large, /status: NOERROR/)
    }
  })

  test('have the changes since a serial, and the whole zone where they are not known', without('dig'), async () => {
    const world = await openZone()
    const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] })
    const serial = async () => Number((await ask(place, 'example.com', 'SOA')).answers[0]!.split(' ')[4])
    const since = async (known: number) => {
      const told = await asks('dig', place, '', '+noall', '+answer', 'example.com', `IXFR=${known}`)
      return told.split('\n').flatMap((line) => {
        const [name, , , type, ...data] = line.split(/\s+/)
        return name?.endsWith('.') ? [`${name} ${type} ${type === 'SOA' ? data[2] : data.join(' ')}`] : []
      })
    }
    const first = await serial()
    const soa = (of: number) => `example.com. SOA ${of}`
    assert.deepEqual(await since(first), [soa(first)])
    const set = (records: string[]) => ({ records: records.map((value) => ({ value: `"${value}"` })) })
    expect(await world.api.post('/zones/example.com/rrsets', { name: 'new', type: 'TXT', ...set(['a', 'b']) }), 201)
    const second = await serial()
    expect(await world.api.post('/zones/example.com/rrsets/new/TXT/actions/set_records', set(['b', 'c'])), 201)
    const third = await serial()
    const last = [soa(second), 'new.example.com. TXT "a"', soa(third), 'new.example.com. TXT "c"']
    assert.deepEqual(await since(second), [soa(third), ...last, soa(third)])
    const added = [soa(first), soa(second), 'new.example.com. TXT "a"', 'new.example.com. TXT "b"']
    assert.deepEqual(await since(first), [soa(third), ...added, ...last, soa(third)])
    assert.deepEqual(await since(third + 1), [soa(third)])
    assert.equal((await since(first - 1)).length, 900 + 3 + 2 + 2)
    const again = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] })
    const told = await asks('dig', again, '', '+noall', '+answer', 'example.com', `IXFR=${first}`)
    assert.equal(countOf(told), 902, 'the whole zone after a restart')
  })

  test('are refused without the key, and it is said what is wrong', without('dig'), async () => {
    const world = await openZone()
    const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1, key: keyOf('hmac-sha256') }] })
    const plain = await asks('dig', place, '', '+noall', '+comments', '+answer', 'example.com', 'AXFR')
    assert.match(plain, /Transfer failed/)
    const soa = (key: string) => asks('dig', place, key, 'example.com', 'SOA')
    const good = secret('hmac-sha256')
    const refused = /status: NOTAUTH/
    const unknown = await soa(`hmac-sha256:other.lab:${good}`)
    assert.match(unknown, refused)
    assert.match(unknown, /BADKEY/)
    assert.match(await soa(`hmac-sha512:hmac-sha256.lab:${good}`), /BADKEY/)
    const forged = await soa(`hmac-sha256:hmac-sha256.lab:${secret('another')}`)
    assert.match(forged, refused)
    assert.match(forged, /BADSIG/)
    // Half of a signature is one by the key, and less than is asked for.
    assert.match(await soa(`hmac-sha256-128:hmac-sha256.lab:${good}`), /BADTRUNC/)
    world.clock.advance(3_600_000)
    const late = await soa(`hmac-sha256:hmac-sha256.lab:${good}`)
    assert.match(late, refused)
    assert.match(late, /BADTIME/)
    const other = await serveDns(world, { transferTo: [{ address: '192.0.2.1', port: 1, key: keyOf('hmac-sha256') }] })
    world.clock.advance(-3_600_000)
    const elsewhere = await asks('dig', other, `hmac-sha256:hmac-sha256.lab:${good}`, 'example.com', 'AXFR')
    assert.match(elsewhere, /Transfer failed/)
  })

  /** Lets a secondary have the zone, hear of changes, and get these alone, of which its log tells. */
  async function follows(
    algorithm: string,
    ofChanges: RegExp,
    begin: (folder: string, from: Place) => Promise<Primary>,
  ) {
    const world = await openZone()
    const key = keyOf(algorithm)
    const from = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1, key }] })
    const folder = mkdtempSync(join(tmpdir(), 'wolke-signed-'))
    const secondary = await begin(folder, from)
    try {
      const until = async (name: string, answer: string) => {
        const is = async () => (await ask(secondary, name, 'TXT')).answers.join() === `${name} TXT ${answer}`
        while (!(await is())) await delay(20)
      }
      await until('n899.example.com', 'x'.repeat(50))
      await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: secondary.port, key }] })
      const rrset = { name: 'new', type: 'TXT', records: [{ value: '"signed"' }] }
      expect(await world.api.post('/zones/example.com/rrsets', rrset), 201)
      await until('new.example.com', 'signed')
      expect(await world.api.delete('/zones/example.com/rrsets/n7/TXT'), 201)
      expect(
        await world.api.post('/zones/example.com/rrsets/new/TXT/actions/set_records', {
          records: [{ value: '"again"' }],
        }),
        201,
      )
      await until('new.example.com', 'again')
      assert.equal((await ask(secondary, 'n7.example.com', 'TXT')).rcode, 'NXDOMAIN')
      assert.equal((await ask(secondary, 'n8.example.com', 'TXT')).answers.length, 1)
      assert.match(secondary.log.join('\n'), ofChanges)
    } finally {
      await secondary.stop()
      rmSync(folder, { recursive: true })
    }
  }

  test('go to Knot, which finds the zone in the catalog, and follows its changes', without('knotd'), () =>
    follows('hmac-sha256', /IXFR, incoming, .*finished/, (folder, from) => {
      mkdirSync(join(folder, 'db'))
      const file = join(folder, 'knot.conf')
      return start(
        'knotd',
        (port) => {
          writeFileSync(file, knotConfiguration(folder, port, from.port))
          return ['-c', file]
        },
        /server started/,
      )
    }),
  )

  test('go to BIND, which follows changes', without('named'), () =>
    follows('hmac-sha512', /Transfer completed: 1 messages, \d records/, (folder, from) => {
      const file = join(folder, 'named.conf')
      return start(
        'named',
        (port) => {
          const lines = [
            statementOf('hmac-sha512'),
            `options { directory "${folder}"; pid-file none; session-keyfile none; lock-file none;`,
            `  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; };`,
            'controls { };',
            'zone "example.com" { type secondary; file "example.com.db"; notify no;',
            `  primaries { 127.0.0.1 port ${from.port} key "hmac-sha512.lab"; };`,
            '  allow-notify { key "hmac-sha512.lab"; }; };',
          ]
          writeFileSync(file, lines.join('\n'))
          return ['-g', '-n', '1', '-c', file]
        },
        / running$/,
      )
    }),
  )
})

const knotConfiguration = (folder: string, port: number, from: number) => `log:
  - target: stdout
    any: info
server:
  listen: 127.0.0.1@${port}
  rundir: ${folder}
database:
  storage: ${folder}/db
key:
  - id: hmac-sha256.lab
    algorithm: hmac-sha256
    secret: ${secret('hmac-sha256')}
remote:
  - id: wolke
    address: 127.0.0.1@${from}
    key: hmac-sha256.lab
acl:
  - id: wolke
    address: 127.0.0.1
    key: hmac-sha256.lab
    action: notify
template:
  - id: member
    storage: ${folder}
    master: wolke
    acl: wolke
zone:
  - domain: catalog.wolke.example
    storage: ${folder}
    master: wolke
    acl: wolke
    catalog-role: interpret
    catalog-template: member
`
