/** Attacks the login, as anybody who can reach it from many networks: right passwords are judged meanwhile. */
import { request } from 'node:http'
import type { Running } from '../bench/processes.ts'
import type { Database } from '../src/kernel/data/db.ts'
import { hashPassword } from '../src/kernel/secrets/password-hash.ts'
import { addCredential } from '../src/people/credentials/credential-store.ts'
import { createPerson } from '../src/people/person-store.ts'
import { type Attack, atLeast, atMost, type Context, type Finding, none } from './attack.ts'

const connections = 30
const password = 'sieben blaue Teller tanzen'

export const signIn: Attack = {
  name: 'signin',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    const people = context.size(5, 25)
    const installation = await context.install()
    const { db, close } = await installation.open()
    for (let n = 0; n < people; n++) await createWithPassword(db, addressOf(n))
    await close()
    const server = await installation.serve()
    const crowd = new Crowd(server, people)
    await crowd.begun
    const before: number[] = []
    const failed: string[] = []
    for (let n = 0; n < people; n++) {
      const start = crowd.judged
      const status = await logIn(server, `127.1.0.${n + 1}`, addressOf(n), password)
      before.push(crowd.judged - start)
      if (status !== 303) failed.push(`${status} after ${before.at(-1)} others`)
    }
    await crowd.stop()
    await server.stop()
    context.log(`${crowd.judged} wrong ones judged, ${crowd.turnedAway} turned away; before the right ones ${before}`)
    return findings(context, { people, failed, judged: crowd.judged, most: Math.max(...before) })
  },
}

interface Figures {
  readonly people: number
  readonly failed: readonly string[]
  readonly judged: number
  /** The most wrong passwords judged while a right one waited. */
  readonly most: number
}

function findings(context: Context, { people, failed, judged, most }: Figures): Finding[] {
  const crowd = `${connections} connections from ever new networks`
  return [
    atLeast(`${crowd} have wrong passwords judged`, judged, 'passwords', connections),
    none(`${people} people with right passwords come in beside ${crowd}`, 'kept out', failed, context),
    // Every second place goes to who waits longest, so nobody waits for more than the others twice, and a few on their way.
    atMost(`none of them waits for many others beside ${crowd}`, most, 'passwords', 3 * connections),
  ]
}

const addressOf = (n: number) => `person${n}@example.com`

async function createWithPassword(db: Database, email: string): Promise<void> {
  const data = await hashPassword(password)
  await db.transact(async (tx) => {
    const { id: personId } = await createPerson(tx, { email, name: '' })
    await addCredential(tx, { personId, kind: 'password', subject: String(personId), data, name: '' })
  })
}

/** Connections that each send a wrong password, wait for the answer, and go on from another network. */
class Crowd {
  /** Resolves when the first one was answered, so that the others are under way. */
  readonly begun: Promise<void>
  /** The number of its passwords that were judged, and of requests that were answered otherwise. */
  judged = 0
  turnedAway = 0
  readonly #server: Running
  readonly #people: number
  readonly #ended: Promise<unknown>
  #isStopped = false
  #networks = 0

  constructor(server: Running, people: number) {
    this.#server = server
    this.#people = people
    const { promise, resolve } = Promise.withResolvers<void>()
    this.begun = promise
    this.#ended = Promise.all(Array.from({ length: connections }, () => this.#go(resolve)))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#ended
  }

  async #go(begun: () => void): Promise<void> {
    while (!this.#isStopped) {
      const n = this.#networks++
      const network = `127.${2 + ((n >> 16) % 250)}.${(n >> 8) & 255}.${n & 255}`
      const status = await logIn(this.#server, network, addressOf(n % this.#people), 'a wrong password')
      if (status === 401) this.judged++
      else this.turnedAway++
      begun()
    }
  }
}

/** The status of a login from a network of this machine; 0 without an answer. */
function logIn({ url }: Running, network: string, email: string, secret: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { port } = new URL(url)
  const headers = {
    host: `localhost:${port}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const options = { method: 'POST', headers, localAddress: network, agent: false } as const
  const asked = request(`${url}/console/login`, options, (response) => {
    response.resume().once('end', () => resolve(response.statusCode!))
  })
  asked.once('error', () => resolve(0))
  asked.end(String(new URLSearchParams({ email, password: secret })))
  return promise
}
