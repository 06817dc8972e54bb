/** Signed zones in tests, and the real programs that validate them. */
import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { runCommandLine } from '../../../src/commands/command-line.ts'
import { dnssecCommand } from '../../../src/commands/dnssec.ts'
import { findProgram, run } from '../../clients/kit/clients.ts'
import type { World } from '../../kit/harness.ts'
import { ask, optOf, type Place } from '../client.ts'
import { start } from '../secondaries/programs.ts'
import { makeZone, rrset } from '../zones.ts'

const programs = ['unbound', 'delv', 'dig', 'dnssec-verify', 'ldns-verify-zone'] as const
export const missingPrograms = () => programs.filter((name) => !findProgram(name))

/** A DS record of a child; nobody looks behind it. */
const childDs = `12345 13 2 ${'ab'.repeat(32)}`

/** What the zone of these tests has: each kind of answer. */
export const contents = [
  rrset('www', 'A', '192.0.2.1', '192.0.2.2'),
  rrset('www.upper', 'MX', '10 Mail.Example.NET.', '20 WWW'),
  rrset('alias', 'CNAME', 'www'),
  rrset('dangling', 'CNAME', 'nowhere'),
  rrset('a.b.empty', 'TXT', '"below an empty name"'),
  rrset('*.wild', 'TXT', '"of the wildcard"'),
  rrset('*.aliases', 'CNAME', 'www'),
  rrset('svc', 'HTTPS', '1 Target.example. alpn=h2'),
  rrset('text', 'TXT', ...Array.from({ length: 12 }, (_, index) => `"${String(index).padStart(200, 'x')}"`)),
  rrset('secure', 'NS', 'ns.secure'),
  rrset('secure', 'DS', childDs),
  rrset('ns.secure', 'A', '192.0.2.53'),
  rrset('insecure', 'NS', 'ns.insecure'),
  rrset('ns.insecure', 'A', '192.0.2.54'),
]

/** Runs `wolke dnssec` on a world; its output, or the message of its failure. */
export async function dnssec({ db }: Pick<World, 'db'>, ...args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const program = new Command('wolke')
  program.addCommand(
    dnssecCommand((_, work) =>
      work(
        db,
        (line) => void lines.push(line),
        async () => [],
      ),
    ),
  )
  const failure = await runCommandLine(program, ['dnssec', ...args], (text) => void lines.push(text))
  return failure ? (failure.message ?? '') : lines.join('\n')
}

/** What `wolke dnssec show` tells of a zone. */
export async function shown(world: World, zone = 'example.com') {
  return JSON.parse(await dnssec(world, 'show', zone, '--json'))[0]
}

/** Makes the zone example.com, which is signed. */
export async function makeSigned(world: World, rrsets: object[] = contents, more: object = {}): Promise<number> {
  const id = await makeZone(world, rrsets, more)
  await dnssec(world, 'enable', 'example.com')
  await world.app.jobs.run()
  return id
}

/** The DNSKEY records of a zone as dig prints their data. */
export async function keysOf({ port }: Place, zone = 'example.com'): Promise<string[]> {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+short', zone, 'DNSKEY'])
  return stdout.trim().split('\n')
}

/** Runs `work` with a folder of its own. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-dnssec-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What delv says first of the answers to some questions, with keys of the zone as trust anchors. */
export function delv(
  { port }: Place,
  keys: readonly string[],
  questions: readonly (readonly [name: string, type: string])[],
): Promise<string[]> {
  const anchors = keys.map((line) => {
    const [flags, protocol, algorithm, ...key] = line.split(' ')
    return `"example.com." static-key ${flags} ${protocol} ${algorithm} "${key.join('')}";`
  })
  return withFolder(async (folder) => {
    const file = join(folder, 'anchors')
    writeFileSync(file, `trust-anchors { ${anchors.join(' ')} };`)
    const options = ['@127.0.0.1', '-p', String(port), '-a', file, '+root=example.com']
    return Promise.all(
      questions.map(async ([name, type]) => {
        const { stdout, stderr } = await run('delv', [...options, name, type])
        return `${name} ${type} ${`${stdout}${stderr}`.split('\n')[0]}`
      }),
    )
  })
}

/** An answer of a validating resolver. */
export interface Validated {
  readonly rcode: string
  /** Whether it vouches for the answer (AD). */
  readonly isSecure: boolean
  readonly answers: readonly string[]
}

export interface Resolver {
  ask(name: string, type: string, ...options: readonly string[]): Promise<Validated>
}

/** Runs `work` with an Unbound that trusts some DS or DNSKEY records of example.com, at a time of the clock. */
export async function withUnbound<T>(
  { port }: Place,
  anchors: readonly string[],
  nowMs: number,
  work: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  const date = new Date(nowMs).toISOString().replaceAll(/[-:T]|\..*/g, '')
  const lines = (at: number, folder: string) => [
    `# Unbound\nserver:\n  interface: 127.0.0.1@${at}\n  do-ip6: no\n  username: ""\n  chroot: ""\n  directory: "${folder}"`,
    '  pidfile: ""\n  use-syslog: no\n  do-not-query-localhost: no\n  module-config: "validator iterator"\n  verbosity: 1',
    `  val-override-date: "${date}"\n  aggressive-nsec: yes\n  qname-minimisation: yes`,
    ...anchors.map((record) => `  trust-anchor: "example.com. IN ${record}"`),
    `stub-zone:\n  name: "example.com"\n  stub-addr: 127.0.0.1@${port}\n`,
  ]
  return withFolder(async (folder) => {
    const file = join(folder, 'unbound.conf')
    const args = (at: number) => {
      writeFileSync(file, lines(at, folder).join('\n'))
      return ['-d', '-c', file]
    }
    const resolver = await start('unbound', args, /start of service/)
    try {
      return await work({ ask: (...question) => askResolver(resolver.port, ...question) })
    } finally {
      await resolver.stop()
    }
  })
}

async function askResolver(port: number, name: string, type: string, ...options: readonly string[]) {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+dnssec', ...options, name, type])
  const [, rcode, flags] = /status: (\w+),[^\n]*\n;; flags: ([^;]*);/.exec(stdout) ?? assert.fail(stdout)
  const answer = /;; ANSWER SECTION:\n([\s\S]*?)\n\n/.exec(stdout)?.[1]?.split('\n') ?? []
  const answers = answer.filter((line) => !/\tRRSIG\t/.test(line)).map((line) => line.replaceAll(/\s+/g, ' '))
  return { rcode: rcode!, isSecure: flags!.split(' ').includes('ad'), answers }
}

// ---- Whole zones ---------------------------------------------------------------------------------------------------

/** The zone example.com as a file, as dig reads it out of a transfer. */
export async function transferred({ port }: Place): Promise<string> {
  const options = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', '+onesoa', '+noidnout']
  const { stdout } = await run('dig', [...options, 'example.com', 'AXFR'])
  return stdout
}

/** The exit codes of the verifiers of BIND and NLnet Labs for a whole zone; 0 when it is proven throughout. */
export function verified(zonefile: string): Promise<Record<string, number | string>> {
  return withFolder(async (folder) => {
    const file = join(folder, 'example.com.zone')
    writeFileSync(file, zonefile)
    const outcomes = {
      'dnssec-verify': await run('dnssec-verify', ['-z', '-o', 'example.com', file]),
      'ldns-verify-zone': await run('ldns-verify-zone', [file]),
    }
    return Object.fromEntries(
      Object.entries(outcomes).map(([name, { code, stdout, stderr }]) => [name, code === 0 ? 0 : `${stdout}${stderr}`]),
    )
  })
}

// ---- Signatures ----------------------------------------------------------------------------------------------------

/** The RRSIG records of an answer: the tag of the key of each, and its end in seconds. */
export async function signaturesOf(place: Place, name: string, type: string) {
  const { packet } = await ask(place, name, type, {
    packet: { additionals: [optOf(1_232, { flags: 0x8000, flag_do: true })] },
  })
  return [...(packet.answers ?? []), ...(packet.authorities ?? [])].flatMap((record) => {
    if (record.type !== 'RRSIG') return []
    const { keyTag, expiration } = (record as { data: { keyTag: number; expiration: number } }).data
    return [{ tag: keyTag, expires: expiration }]
  })
}

// ---- On the way ----------------------------------------------------------------------------------------------------

/** Runs `work` with a place at which answers of a name server over UDP are changed. */
export async function withTampering(
  { host, port }: Place,
  change: (answer: Buffer) => void,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const socket = createSocket('udp4')
  const behind = new Set<Socket>()
  socket.on('message', (query, from) => {
    const one = createSocket('udp4')
    behind.add(one)
    one.on('message', (answer) => {
      change(answer)
      socket.send(answer, from.port, from.address)
    })
    one.send(query, port, host)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    await work({ host: '127.0.0.1', port: socket.address().port })
  } finally {
    for (const one of [socket, ...behind]) one.close()
  }
}
