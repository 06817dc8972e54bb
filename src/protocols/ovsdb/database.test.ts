/** Promises of the connection to a database: it finds who leads, no call waits for ever, and what is followed stays fresh. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { DriverError } from '../driver-error.ts'
import { Database, Overtaken } from './database.ts'
import { Framing } from './framing.ts'

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** A member of a database, as far as clients see it. */
class Member {
  readonly sockets = new Set<Socket>()
  readonly remote: string
  leads = true
  /** What it answers to a transaction; nothing keeps the caller waiting. */
  answer: (operations: readonly unknown[]) => unknown = (operations) => operations.map(() => ({ rows: [] }))
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    const address = server.address()
    assert.ok(address && typeof address === 'object')
    this.remote = `tcp:127.0.0.1:${address.port}`
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async open(): Promise<Member> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Member(server)
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  /** Tells everybody who follows the database whether it leads. */
  lead(leads: boolean): void {
    this.leads = leads
    for (const socket of this.sockets) send(socket, { id: null, method: 'update', params: ['leader', this.#state()] })
  }

  #state() {
    return { Database: { row: { new: { name: 'OVN_Northbound', model: 'clustered', leader: this.leads } } } }
  }

  #serve(socket: Socket): void {
    const framing = new Framing(1_000_000)
    this.sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (piece) => {
      for (const call of framing.take(piece) as Call[]) this.#take(socket, call)
    })
  }

  #take(socket: Socket, { id, method, params }: Call): void {
    if (method === 'monitor') {
      const rows = { row: { new: { name: this.remote } } }
      send(socket, { id, result: params[0] === '_Server' ? this.#state() : { Port_Group: rows }, error: null })
    }
    const result = method === 'transact' ? this.answer(params.slice(1)) : undefined
    if (result !== undefined) send(socket, { id, result, error: null })
  }
}

const send = (socket: Socket, message: unknown) => socket.write(JSON.stringify(message))

const members: Member[] = []
/** As much of a schema as is asked for. */
interface Tables {
  readonly Port_Group: { readonly name: string }
}

const databases: Database<Tables>[] = []
after(() => {
  for (const database of databases) database.close()
  for (const member of members) member.close()
})

async function openMember(): Promise<Member> {
  const member = await Member.open()
  members.push(member)
  return member
}

function open(remotes: readonly Member[], timeoutMs = 60_000): Database<Tables> {
  const database = new Database<Tables>({
    remotes: remotes.map(({ remote }) => remote),
    name: 'OVN_Northbound',
    timeoutMs,
  })
  databases.push(database)
  return database
}

const select = (database: Database<Tables>) => database.select('Port_Group', [], ['name'])

describe('a database', () => {
  test('is asked where it is led', async () => {
    const [follower, leader] = [await openMember(), await openMember()]
    follower.leads = false
    leader.answer = () => [{ rows: [{ name: 'found' }] }]
    assert.deepEqual(await select(open([follower, leader])), [{ name: 'found' }])
  })

  test('is asked elsewhere once its leader leads no longer', async () => {
    const [first, second] = [await openMember(), await openMember()]
    const database = open([first, second])
    await select(database)
    const gone = once([...first.sockets][0]!, 'close')
    first.lead(false)
    await gone
    second.answer = () => [{ rows: [{ name: 'second' }] }]
    assert.deepEqual(await select(database), [{ name: 'second' }])
  })

  test('says in time that nobody leads it, or answers', async () => {
    const member = await openMember()
    member.leads = false
    await assert.rejects(select(open([member], 300)), transient)
    member.leads = true
    member.answer = () => undefined
    await assert.rejects(select(open([member], 300)), transient)
  })

  test('names all members that were asked when none leads', async () => {
    const [silent, follower] = [await openMember(), await openMember()]
    silent.close()
    follower.leads = false
    await assert.rejects(select(open([silent, follower], 300)), (error: DriverError) => {
      assert.ok(error.transient)
      for (const { remote } of [silent, follower]) assert.match(error.message, new RegExp(remote))
      return true
    })
  })

  test('is reached again after its connection was lost, and what is followed begins anew', async () => {
    const member = await openMember()
    const database = open([member])
    let taken = 0
    const again = Promise.withResolvers<void>()
    await database.follow({
      table: 'Port_Group',
      columns: ['name'],
      take: (_, isFirst) => {
        assert.ok(isFirst)
        if (++taken === 2) again.resolve()
      },
    })
    member.cut()
    await again.promise
    assert.deepEqual(await select(database), [])
  })

  test('tells a change that came too late from one that is refused', async () => {
    const member = await openMember()
    const database = open([member])
    member.answer = () => [{ error: 'timed out', details: 'a row is another one' }]
    await assert.rejects(select(database), Overtaken)
    member.answer = () => [null, { error: 'constraint violation', details: 'the name is taken' }]
    await assert.rejects(select(database), Overtaken)
    member.answer = () => [{ error: 'domain error', details: 'no such value' }]
    await assert.rejects(select(database), (error) => error instanceof DriverError && !error.transient)
  })
})

const transient = (error: unknown) => error instanceof DriverError && error.transient
