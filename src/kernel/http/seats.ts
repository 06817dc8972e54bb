/** Seats behind an edge, at which clouds answer behind the routes of the first one. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { EdgeOptions, Mounting } from './mounting.ts'
import { servePage } from './pages/open-pages.ts'
import { type Clouds, patienceMs, Seat } from './server/clouds.ts'
import type { SocketPath } from './streams/web-sockets.ts'

/** The names of what each cloud has of its own. */
export const partKeys = [
  'authenticator',
  'sessions',
  'standing',
  'audit',
  'query',
  'clock',
  'limits',
  'observe',
  'interceptor',
] as const

/** The parts that each cloud behind an edge has of its own. */
export type CloudParts = Pick<EdgeOptions, (typeof partKeys)[number]>

/** A cloud mounts here what it answers with. */
export interface CloudMounting extends Mounting {
  accept(path: SocketPath): void
}

/** A seat behind an edge, with what can be done to it. */
export interface EdgeSeat {
  /**
   * Lets another cloud take the seat: requests wait until `open` has told what it is made of, and has mounted everything
   * that the cloud before had.
   */
  change(open: (mounting: CloudMounting) => Promise<CloudParts>): Promise<void>
}

/** A further seat behind an edge. */
export interface FurtherSeat extends EdgeSeat {
  /** Starts answering; returns the port. Errors: those of the socket. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>
  /** Answers the requests of a connection that was made in another way; needs `listen` before. */
  connect(connection: Duplex): void
  /** Ends all connections to it. */
  close(): Promise<void>
}

/** Collects what a cloud answers with. */
function collected(): CloudMounting & { readonly answers: ReadonlyMap<unknown, unknown> } {
  const answers = new Map<unknown, unknown>()
  return {
    answers,
    mount(endpoints, handlers) {
      for (const [key, endpoint] of Object.entries(endpoints)) answers.set(endpoint, handlers[key])
    },
    open: (page) => void answers.set(page.path, servePage(page)),
    // Its files are the same for all.
    openTree: () => undefined,
    serve(routes) {
      for (const { method, path, answer } of routes) answers.set(`${method} ${path}`, answer)
    },
    stream: (path) => void answers.set(path.path, path),
    accept: (path) => void answers.set(path.path, path),
  }
}

type IsChange = EdgeOptions['isChange']

/** The seat of the cloud that an edge was built with. */
export function edgeSeat(
  clouds: Clouds<CloudParts>,
  seat: Seat<CloudParts>,
  isChange: IsChange = () => false,
): EdgeSeat {
  return {
    change: (open) =>
      clouds.change(seat, isChange, async () => {
        const mounting = collected()
        const parts = await open(mounting)
        return { parts, answers: mounting.answers }
      }),
  }
}

interface FurtherSeatOptions {
  open(mounting: CloudMounting): Promise<CloudParts>
  /** Makes the server of the seat, whose requests take the way of all. */
  makeServer(): Server
  readonly isChange: IsChange
}

/** Opens a further seat; it answers once it listens. Errors: those of `open`. */
export async function furtherSeat(
  clouds: Clouds<CloudParts>,
  { open, makeServer, isChange }: FurtherSeatOptions,
): Promise<FurtherSeat> {
  const mounting = collected()
  const seat = new Seat<CloudParts>({ parts: await open(mounting), answers: mounting.answers })
  let server: Server | undefined
  return {
    ...edgeSeat(clouds, seat, isChange),
    async listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server = clouds.add(seat, () => makeServer().once('error', reject).listen(port, host, resolve))
      await promise
      return (server.address() as AddressInfo).port
    },
    connect: (connection) => void clouds.add(seat, () => server?.emit('connection', connection)),
    async close() {
      if (!server) return
      const ended = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await ended
      await seat.running.ended(patienceMs)
    },
  }
}
