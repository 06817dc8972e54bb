/** Connections to a server at a steady rate, each a fresh one, to see which of them something on the way breaks. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Lab } from '../../../lab/lab.ts'
import { until } from '../../kit/database/bare-database.ts'
import { isLong } from '../../run/long.ts'
import { endOf, inGuest } from './guests.ts'

/** How many begin in a second: each costs the hosts of a lab, which switch packets in user space, some work. */
export const perSecond = isLong ? 500 : 250
/** How long the answer to one may take, in milliseconds, before it is lost. */
const patience = 5_000

/** What became of connections: how many there were, and when those began that got no answer, in ms since the first. */
export interface Tally {
  readonly sent: number
  readonly lost: readonly number[]
}

/** Waits until so many more have begun. */
export type Pass = (count: number) => Promise<void>

/** Connections that begin while some work is done, and what became of them once all have ended. */
export async function during(attempt: () => Promise<boolean>, work: (pass: Pass) => Promise<void>): Promise<Tally> {
  const attempts: Promise<boolean>[] = []
  const began: number[] = []
  const first = performance.now()
  let due = first
  const pace = setInterval(() => {
    const now = performance.now()
    if (now < due) return
    // What a busy machine has missed is not made up for: a burst would be lost for reasons of its own.
    due = Math.max(due + 1000 / perSecond, now - 10)
    began.push(Math.round(now - first))
    attempts.push(attempt())
  }, 1)
  try {
    await work(async (count) => {
      const enough = attempts.length + count
      await until(() => attempts.length >= enough, `${count} more have begun`)
    })
  } finally {
    clearInterval(pace)
  }
  const answered = await Promise.all(attempts)
  return { sent: attempts.length, lost: began.filter((_, n) => !answered[n]) }
}

/** Sends one datagram from a port of its own; true when it comes back. */
export function echo(address: string, port: number): Promise<boolean> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    const end = (isAnswered: boolean) => {
      clearTimeout(timer)
      socket.close()
      resolve(isAnswered)
    }
    const timer = setTimeout(() => end(false), patience)
    socket.once('message', () => end(true))
    // An answer that nobody listens there is none.
    socket.on('error', () => undefined)
    socket.send('echo', port, address)
  })
}

/** Opens one connection to a port; true when the server answers at all, also that nobody listens there. */
export function knock(address: string, port: number): Promise<boolean> {
  const socket = connect({ host: address, port })
  return new Promise((resolve) => {
    const end = (isAnswered: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isAnswered)
    }
    const timer = setTimeout(() => end(false), 900)
    socket.once('connect', () => end(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNREFUSED'))
  })
}

const echoServer = `
import selectors, socket, sys
ready = selectors.DefaultSelector()
for address in sys.argv[2:]:
    one = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    # The guest may not have the address yet: 78 and 15 are IPV6_FREEBIND and IP_FREEBIND.
    one.setsockopt(*((socket.IPPROTO_IPV6, 78) if ':' in address else (socket.IPPROTO_IP, 15)), 1)
    one.bind((address, int(sys.argv[1])))
    ready.register(one, selectors.EVENT_READ)
ready.register(sys.stdin, selectors.EVENT_READ)
print('ready', flush=True)
while True:
    for key, _ in ready.select():
        if key.fileobj is sys.stdin:
            sys.exit()
        data, peer = key.fileobj.recvfrom(2048)
        try:
            key.fileobj.sendto(data, peer)
        except OSError:
            # A guest that still starts has no way back yet.
            pass
`

type EchoProcess = ChildProcessByStdio<Writable, Readable, null>

/** Sends datagrams back that come to some addresses of a server, until it is stopped. */
export class EchoServer {
  readonly #child: EchoProcess
  readonly #ended: Promise<number>

  private constructor(child: EchoProcess) {
    this.#child = child
    this.#ended = endOf(child)
  }

  static async start(lab: Lab, server: number, port: number, ...addresses: readonly string[]): Promise<EchoServer> {
    const [command, ...args] = inGuest(lab, server, ['python3', '-c', echoServer, `${port}`, ...addresses])
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.on('error', () => undefined)
    const one = new EchoServer(child)
    const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    const isUp = await Promise.race([ready.then(() => true), one.#ended.then(() => false)])
    if (!isUp) throw new Error(`server ${server} sends nothing back`)
    return one
  }

  /** Stops it, unless its server has ended it already. A signal would end only what stands between it and this process. */
  async stop(): Promise<void> {
    this.#child.stdin.end()
    await this.#ended
  }
}
