/**
 * Locks between the processes of an installation on one machine: the name of an abstract Unix socket belongs to one
 * process at a time, and the kernel takes it back when the process ends, however it ends.
 */
import { createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../../kernel/actions/define.ts'

const waitMs = 30_000
const pauseMs = 10

/** Takes a lock, or returns undefined when somebody has it. Errors: those of the system. */
async function take(name: string): Promise<AsyncDisposable | undefined> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(`\0${name}`, () => resolve({ [Symbol.asyncDispose]: () => closed(server) }))
  })
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** Does something under a lock, after waiting for it. Errors: a transient `DriverError` after 30 seconds of waiting. */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + waitMs
  for (;;) {
    await using lock = await take(name)
    if (lock) return await work()
    if (performance.now() > until) throw new DriverError('The load balancer is being changed', { transient: true })
    await delay(pauseMs)
  }
}

/** Does something under a lock unless somebody has it. */
export async function ifUnlocked(name: string, work: () => Promise<void>): Promise<void> {
  await using lock = await take(name)
  if (lock) await work()
}
