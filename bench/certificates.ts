/** Measures certificate uploads, and how long other requests wait while hostile certificates are refused. */
import { publicBase } from '../src/kernel/contract/bases.ts'
import {
  certify,
  chain,
  der,
  integer,
  party,
  pem,
  rsaPublicKey,
  selfSigned,
  sequence,
} from '../test/kit/samples/certificates.ts'
import { call, forAll } from './client.ts'
import { token, type Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { compareLoads, type Effort, inTurns } from './rounds.ts'

const hostileCount = 1_000
const mostStallMs = 10

/** Compares POST of a chain of five with a bare route, then uploads a thousand hostile certificates. */
export async function certificates(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('certificates.db')}`, { watch: true })
  const path = `${publicBase}/certificates`
  const { certificate, private_key } = chain(5)
  const given = { name: 'bench-{n}', certificate, private_key }
  const { text } = await call('POST', wolke.url + path, { ...given, name: 'first' })
  const bare = await workshop.bare([
    { method: 'GET', path, status: 200, body: '{}' },
    { method: 'POST', path, status: 201, body: text },
  ])
  const generate = workshop.generator()
  const job = { method: 'POST', connections: 8, body: JSON.stringify(given) } as const
  const { generatorCpu, ...compared } = await compareLoads(effort, {
    wolke: (seconds) => generate({ ...job, url: wolke.url + path, paths: [path], seconds }),
    bare: (seconds) => generate({ ...job, url: bare.url + path, paths: [path], seconds }),
  })
  const note = `8 connections, generator ${Math.round(generatorCpu * 100)}% cpu`
  const stall = (uploads: readonly object[]) => () =>
    wolke.stallDuring(async () => {
      const statuses = await forAll(uploads, (upload) => refuse(wolke.url + path, upload))
      const other = statuses.find((status) => status !== 422)
      if (other !== undefined) throw new Error(`what had to be refused was answered with ${other}`)
    })
  const uploads = hostile()
  // The bare server shows the share of the machine and of request handling.
  const stalls = await inTurns(effort.rounds, { wolke: stall(uploads), bare: stall(uploads.map(() => ({}))) })
  const bar = { text: `<= ${mostStallMs} ms`, met: stalls.wolke <= mostStallMs }
  return [
    { name: 'POST certificate, chain of 5, durable', unit: 'req/s', ...compared, note },
    {
      name: `stall while ${hostileCount} hostile ones are refused`,
      unit: 'ms',
      ...stalls,
      bar,
      note: 'bare: as many that lack everything',
    },
  ]
}

/** Inputs of every kind that has hurt parsers: huge, endless, nested, encrypted, expensive numbers, wrong order. */
function hostile(): { certificate: string; private_key: string }[] {
  const self = party('hostile.example')
  const good = selfSigned('hostile.example')
  const forged = (publicKey: Buffer) => pem('CERTIFICATE', certify(self, self, { publicKey }))
  const [leaf = '', ...issuers] = chain(5).certificates
  let nested = sequence()
  for (let depth = 0; depth < 5_000; depth++) nested = sequence(nested)
  const stretch = sequence('06092a864886f70d01050c', sequence(der(0x04, '00'.repeat(8)), integer('01312d00')))
  const bomb = sequence(sequence('06092a864886f70d01050d', sequence(stretch)), der(0x04, '00'.repeat(64)))
  const kinds = [
    { ...good, certificate: '-----BEGIN '.repeat(2_700) },
    { ...good, certificate: `-----BEGIN CERTIFICATE-----${'A'.repeat(29_900)}` },
    { ...good, certificate: pem('CERTIFICATE', nested) },
    { ...good, certificate: `-----BEGIN CERTIFICATE-----${' '.repeat(100_000)}-----END CERTIFICATE-----` },
    { ...good, certificate: forged(rsaPublicKey(8_192, '010001')) },
    { ...good, certificate: forged(rsaPublicKey(4_096, `00${'ff'.repeat(4_000)}`)) },
    { ...good, certificate: leaf + issuers.reverse().join('') },
    { ...good, private_key: pem('PRIVATE KEY', bomb) },
    { ...good, private_key: selfSigned('other.example').private_key },
    { ...good, private_key: `-----BEGIN RSA PRIVATE KEY-----${'MIIB'.repeat(1_200)}-----END RSA PRIVATE KEY-----` },
  ]
  return Array.from({ length: hostileCount }, (_, index) => kinds[index % kinds.length]!)
}

async function refuse(url: string, upload: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'hostile', ...upload }),
  })
  await response.arrayBuffer()
  return response.status
}
