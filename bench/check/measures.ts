/** What is measured: the processor time of one thing that a server does, in microseconds. */
import { createSocket } from 'node:dgram'
import { encode } from 'dns-packet'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { call, forAll, untilSettled } from '../client.ts'
import { cpuUs, type Workshop } from '../processes.ts'
import { connections, given } from '../requests.ts'
import { createServers, namesInZone, type Opened, settledEveryMs } from './side.ts'

type Generate = ReturnType<Workshop['generator']>

/** Something that servers do so many times in a slice of a round, which takes about a tenth of a second. */
export interface Work<On = Opened> {
  readonly name: string
  readonly times: number
  run(on: On, times: number): Promise<unknown>
  /** The processes whose time counts: by default that of the server on SQLite. */
  pids?(on: On): readonly number[]
}

/** What the bare server says, and how it is asked: what that costs is the unit of all figures that are kept. */
export const bareAnswer = { method: 'GET', path: '/', status: 200, body: JSON.stringify(given) } as const

export const bareWork = (generate: Generate): Work<Pick<Opened, 'sqlite'>> => ({
  name: 'bare GET',
  times: 3_000,
  run: ({ sqlite: { url } }, amount) => generate({ url, method: 'GET', connections, seconds: 1, amount }),
})

/** The work of all measures. */
export function works(generate: Generate): Work[] {
  const reads = (name: string, times: number, path: (opened: Opened) => string[]): Work => ({
    name,
    times,
    run: (opened, amount) =>
      generate({ url: opened.sqlite.url, method: 'GET', paths: path(opened), connections, seconds: 1, amount }),
  })
  const post = { method: 'POST', connections, seconds: 1, body: JSON.stringify({ ...given, name: 'new-{n}' }) } as const
  const ofFirewalls = (ids: readonly number[]) => ids.map((id) => `${publicBase}/firewalls/${id}`)
  const paths = [`${publicBase}/firewalls`]
  const onPostgres = { pids: ({ postgres }: Opened) => [postgres.pid] }
  return [
    reads('GET by id', 1_500, ({ held }) => ofFirewalls(held.firewalls)),
    reads('list with a selector', 150, () => [`${publicBase}/firewalls?label_selector=env%3Dprod%2Ctier%21%3Dweb`]),
    reads('GET images', 400, () => [`${publicBase}/images`]),
    { name: 'POST', times: 500, run: ({ sqlite }, amount) => generate({ ...post, url: sqlite.url, paths, amount }) },
    { name: 'power action', times: 128, run: power },
    {
      name: 'server created until it runs',
      times: 32,
      run: ({ sqlite }, times) => createServers(sqlite, unique(), times),
    },
    {
      ...{ name: 'GET by id, PostgreSQL', times: 1_000, ...onPostgres },
      run: ({ postgres, heldByPostgres }, amount) =>
        generate({
          ...{ url: postgres.url, method: 'GET', connections, seconds: 1, amount },
          paths: ofFirewalls(heldByPostgres.firewalls),
        }),
    },
    {
      ...{ name: 'POST, PostgreSQL', times: 250, ...onPostgres },
      run: ({ postgres }, amount) => generate({ ...post, url: postgres.url, paths, amount }),
    },
    { name: 'answer of the name server', times: 5_000, run: ({ dnsPort }, times) => queries(dnsPort, times) },
    {
      ...{ name: 'request through a balancer', times: 1_000, pids: ({ planes }: Opened) => planes },
      run: ({ held }, amount) => generate({ url: held.balancer, method: 'GET', connections, seconds: 1, amount }),
    },
  ]
}

/** The processor time of one thing, in microseconds. */
export async function costOf<On extends Pick<Opened, 'sqlite'>>(
  { run, pids = ({ sqlite }) => [sqlite.pid], times }: Work<On>,
  on: On,
): Promise<number> {
  const of = pids(on)
  const before = cpuUs(of)
  await run(on, times)
  return (cpuUs(of) - before) / times
}

let drawn = 0
const unique = () => `n${process.pid}-${++drawn}`

/** Turns all servers off and on. */
async function power({ sqlite: { url }, held }: Opened, times: number): Promise<void> {
  for (let done = 0; done < times; done += held.servers.length) {
    const command = (done / held.servers.length) % 2 === 0 ? 'poweroff' : 'poweron'
    const replies = await forAll(held.servers, (id) =>
      call('POST', `${url}${publicBase}/servers/${id}/actions/${command}`),
    )
    const ids = replies.map(({ body }) => body.action.id)
    await untilSettled(url, ids, settledEveryMs)
  }
}

/** How many questions wait for their answer at once: fewer than what a socket holds. */
const asked = 32

/** Asks a name server for names that exist. */
async function queries(port: number, times: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = createSocket('udp4')
  const questions = Array.from({ length: namesInZone }, (_, i) =>
    encode({ type: 'query', id: i, questions: [{ type: 'A', name: `n${i}.example.com` }] }),
  )
  let sent = 0
  let answered = 0
  const ask = () => void (sent < times && socket.send(questions[sent++ % questions.length]!))
  socket.on('message', () => (++answered === times ? resolve() : ask()))
  socket.once('error', reject)
  const late = setTimeout(() => reject(new Error(`${times - answered} questions had no answer`)), 20_000)
  socket.connect(port, '127.0.0.1', () => Array.from({ length: asked }, ask))
  try {
    await promise
  } finally {
    clearTimeout(late)
    socket.close()
  }
}
