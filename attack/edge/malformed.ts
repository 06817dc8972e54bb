/** Input that is not HTTP, too slow or too large: it gets one error envelope or a clean end, and the server goes on. */
import { writeFileSync } from 'node:fs'
import type { Running } from '../../bench/processes.ts'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { certificate, privateKey } from '../../test/fixtures/tls.ts'
import { atMost, type Context, type Finding, none } from '../attack.ts'
import type { Installation } from '../installation.ts'
import type { Random } from '../random.ts'
import { converse, dial, flaw } from './raw.ts'

/** Malformed requests; each must be answered with exactly one envelope. */
const refused: Readonly<Record<string, { lines: readonly string[]; body?: string }>> = {
  'two Hosts': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Host: b', 'Connection: close'] },
  'two Hosts that are the same': {
    lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Host: a', 'Connection: close'],
  },
  'an open bracket in Host': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: [::1', 'Connection: close'] },
  'markup in Host': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a"><b', 'Connection: close'] },
  'no Host': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Connection: close'] },
  'no HTTP': { lines: ['GARBAGE'] },
  'HTTP/2': { lines: ['PRI * HTTP/2.0'], body: 'SM\r\n\r\n' },
  'a NUL in a header': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'X-A: a\0b'] },
  'a folded header': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'X-A: a', ' b'] },
  'a space before the colon': {
    lines: [`POST ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Transfer-Encoding : chunked'],
    body: '0\r\n\r\n',
  },
  'a length and chunks': {
    lines: [`POST ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    body: `0\r\n\r\nGET ${publicBase}/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
  },
  'chunks and a length': {
    lines: [`POST ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked', 'Content-Length: 5'],
    body: `0\r\n\r\nGET ${publicBase}/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
  },
  'two lengths': {
    lines: [`POST ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Content-Length: 2', 'Content-Length: 9'],
    body: `{}GET ${publicBase}/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
  },
  'chunked before another coding': {
    lines: [`POST ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked, identity'],
    body: '0\r\n\r\n',
  },
  'headers of 17 KB': { lines: [`GET ${publicBase}/ssh_keys HTTP/1.1`, 'Host: a', `X-A: ${'a'.repeat(17_000)}`] },
}

export async function malformed(context: Context, installation: Installation): Promise<Finding[]> {
  const { random } = context
  const token = installation.tenants[0].readWrite
  const server = await installation.serve()
  const problems = await refuse(server, token)
  const mutated = await mutate(server, token, context.size(150, 5_000), random)
  const heard = await tooLarge(server, token, context.size(2, 10))
  const alive = server.isAlive() ? [] : ['the process ended']
  await server.stop()
  return [
    none(
      'what is malformed gets one envelope, and nothing after it is taken for a request',
      'flaws',
      problems,
      context,
    ),
    none('mutated requests get envelopes or a clean end, never a 5xx', 'flaws', mutated, context),
    none('a body of 4 MB is refused with 413, and its sender hears of it', 'unheard', heard, context),
    none('malformed requests do not end the process', 'ends', alive, context),
  ]
}

const framed = (lines: readonly string[], body = '') => Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')

async function refuse(server: Running, token: string): Promise<string[]> {
  const problems: string[] = []
  for (const [name, { lines, body }] of Object.entries(refused)) {
    const [first = '', ...headers] = lines
    const sent = framed([first, `Authorization: Bearer ${token}`, ...headers], body)
    const { answers, rest } = await converse(dial(server), sent, 3_000)
    const [answer] = answers
    const problem = answer && flaw(answer)
    if (!answer || answers.length > 1 || rest !== '') problems.push(`${name}: ${answers.length} answers`)
    else if (answer.status < 400 || problem) problems.push(`${name}: ${problem ?? answer.status}`)
  }
  return problems
}

/** Mutates valid requests by inserting, removing and repeating bytes. */
function mutation(token: string, random: Random): Buffer {
  const body = JSON.stringify({ name: 'a', labels: { a: 'b' } })
  const head = [`Host: a`, `Authorization: Bearer ${token}`, 'Connection: close']
  const bytes = random.pick([
    framed([`GET ${publicBase}/firewalls?page=1&sort=name HTTP/1.1`, ...head]),
    framed([`POST ${publicBase}/firewalls HTTP/1.1`, ...head, `Content-Length: ${body.length}`], body),
    framed(
      [`POST ${publicBase}/firewalls HTTP/1.1`, ...head, 'Transfer-Encoding: chunked'],
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ),
  ])
  const strange = [
    '\0',
    '\r',
    '\n',
    '\r\n',
    '\x0b',
    '\xff',
    ':',
    ' ',
    '%',
    '%zz',
    '%00',
    'Transfer-Encoding: chunked\r\n',
    '\r\n\r\n',
  ]
  let mutated: Buffer = bytes
  for (let i = random.below(4); i >= 0; i--) {
    const at = random.below(mutated.length)
    const insert = random.chance(0.5) ? Buffer.from(random.pick(strange), 'latin1') : random.bytes(random.below(4))
    mutated = Buffer.concat([mutated.subarray(0, at), insert, mutated.subarray(at + random.below(3))])
  }
  return mutated
}

async function mutate(server: Running, token: string, count: number, random: Random): Promise<string[]> {
  const problems: string[] = []
  const all = Array.from({ length: count }, () => mutation(token, random))
  const one = async () => {
    for (let bytes = all.pop(); bytes; bytes = all.pop()) {
      // The server cuts incomplete requests after its own timeout, for which this loop does not wait.
      const { answers, rest } = await converse(dial(server), bytes, 500)
      for (const answer of answers) {
        const problem = flaw(answer)
        if (problem) problems.push(`${JSON.stringify(bytes.toString('latin1'))}: ${problem}`)
      }
      if (rest !== '') problems.push(`${JSON.stringify(bytes.toString('latin1'))}: answered ${rest.slice(0, 80)}`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, one))
  return problems
}

async function tooLarge(server: Running, token: string, times: number): Promise<string[]> {
  const length = 4 * 2 ** 20
  const head = [
    `POST ${publicBase}/ssh_keys HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${token}`,
    `Content-Length: ${length}`,
  ]
  const bytes = Buffer.concat([framed(head), Buffer.alloc(length, 'x')])
  const unheard: string[] = []
  for (let i = 0; i < times; i++) {
    const { answers } = await converse(dial(server), bytes, 10_000)
    if (answers[0]?.status !== 413) unheard.push(`answered ${answers[0]?.status ?? 'with nothing'}`)
  }
  return unheard
}

/** Opens silent and maximally slow connections over TCP and TLS. */
export async function slow(context: Context, installation: Installation): Promise<Finding[]> {
  const { workshop } = context
  const files = [workshop.file('chain.pem'), workshop.file('key.pem')] as const
  writeFileSync(files[0], certificate)
  writeFileSync(files[1], privateKey)
  const more = ['--tls-cert', files[0], '--tls-key', files[1]]
  const head = `POST ${publicBase}/ssh_keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${installation.tenants[0].readWrite}\r\n`
  const kinds: Readonly<Record<string, string>> = {
    silent: '',
    'slow headers': `${head}X-Slow: `,
    'slow body': `${head}Content-Length: 9\r\n\r\n{`,
  }
  const late: string[] = []
  let longest = 0
  const server = await installation.serve({ more })
  const one = async (name: string, tls: boolean) => {
    // A silent connection does not even start the TLS handshake.
    const socket = dial(server, tls && name !== 'silent')
    const { ended, ms } = await converse(socket, kinds[name]!, 13_000)
    longest = Math.max(longest, ms)
    if (!ended || ms > 12_000) late.push(`${name}${tls ? ' over TLS' : ''} after ${Math.round(ms / 1_000)} s`)
  }
  const each = context.size(1, 20)
  await Promise.all(Object.keys(kinds).flatMap((name) => Array.from({ length: each }, () => one(name, true))))
  await server.stop()
  return [
    none('silent and slow TLS connections are cut', 'left open', late, context),
    atMost('silent and slow TLS connections are cut within 12 s', longest / 1_000, 's', 12),
  ]
}
