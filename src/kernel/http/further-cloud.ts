/** A further cloud behind an edge: at an address of its own, behind the routes of the first one. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EdgeOptions, Mounting } from './mounting.ts'
import { servePage } from './pages/open-pages.ts'
import type { Clouds } from './server/clouds.ts'
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
] as const

/** What each cloud behind an edge has of its own. */
export type CloudParts = Pick<EdgeOptions, (typeof partKeys)[number]>

/** A further cloud behind an edge. */
export interface CloudEdge extends Mounting {
  accept(path: SocketPath): void
  /** Starts answering; returns the port. Errors: those of the socket. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>
  /** Ends all connections to it. */
  close(): Promise<void>
}

/** `makeServer` makes the server of the further cloud, whose requests take the way of all. */
export function furtherCloud(clouds: Clouds<CloudParts>, parts: CloudParts, makeServer: () => Server): CloudEdge {
  const answers = new Map<unknown, unknown>()
  let server: Server | undefined
  return {
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
    async listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server = clouds.add({ parts, answers }, () => makeServer().once('error', reject).listen(port, host, resolve))
      await promise
      return (server.address() as AddressInfo).port
    },
    async close() {
      if (!server) return
      const ended = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await ended
      clouds.remove()
    },
  }
}
