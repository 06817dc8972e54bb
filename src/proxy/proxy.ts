/**
 * A CONNECT proxy for programs that know no other address of the API than the public one. Connections to those hosts end
 * here, in TLS, and their requests go to a Wolke server; all others are refused, so that it leads nowhere else.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Identity } from './authority.ts'
import { forward, type Target } from './forwarding.ts'

export interface ProxyOptions {
  /** 0 picks a free port. */
  readonly port: number
  readonly target: Target
  /** Lower-case names. */
  readonly hosts: readonly string[]
  /** Returns what clients are shown, as it is valid now. */
  identity(): Promise<Identity>
  /** Receives a line for each client that gets no further. */
  tell(line: string): void
}

export interface Proxy {
  readonly url: string
  /** Lets requests that have begun end, for a while; every connection is closed afterwards. */
  stop(): Promise<void>
}

/** Requests may take this long after a stop. */
const drainMs = 5_000

/** Opens the proxy, on loopback alone. Errors: those of listening. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const inner = serveInside(options)
  const listener = createServer()
  const tunnels = new Set<Socket>()
  refuseRequests(listener, options)
  listener.on('connect', ({ url = '' }: IncomingMessage, socket: Socket, head: Buffer) => {
    // Whatever fails here concerns this connection alone, and the client notices by itself.
    socket.on('error', () => socket.destroy())
    if (!options.hosts.some((host) => url.toLowerCase() === `${host}:443`)) {
      options.tell(`refused ${JSON.stringify(url)}`)
      socket.end(`HTTP/1.1 403 ${rule(options)}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      return
    }
    tunnels.add(socket)
    socket.once('close', () => tunnels.delete(socket))
    void inner.take(socket, head)
  })
  listener.listen(options.port, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(listener, 'close')
      listener.close()
      await inner.drain()
      for (const socket of tunnels) socket.destroySoon()
      await closed
    },
  }
}

const rule = ({ hosts }: ProxyOptions) => `wolke proxy leads only to ${hosts.map((host) => `${host}:443`).join(', ')}`

/** Refuses whatever is asked of the proxy itself or without TLS. */
function refuseRequests(listener: Server, options: ProxyOptions): void {
  listener.on('request', ({ method, url }, response) => {
    options.tell(`refused ${JSON.stringify(`${method} ${url}`)}`)
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`${rule(options)}, through CONNECT\n`)
  })
}

/** The server within tunnels. */
interface Inside {
  /** Answers what comes out of a tunnel, after the bytes of `head`. */
  take(socket: Socket, head: Buffer): Promise<void>
  /** Waits until all requests are answered, but not for ever. */
  drain(): Promise<void>
}

function serveInside({ target, identity, tell }: ProxyOptions): Inside {
  const underWay = new Map<object, Promise<void>>()
  const secure = createSecureServer({ allowHTTP1: true }, (request, response) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    underWay.set(response, closed)
    response.once('close', () => {
      underWay.delete(response)
      resolve()
    })
    forward(target, request, response)
  })
  secure.on('tlsClientError', (error: NodeJS.ErrnoException) => {
    // Clients that only go away are no news.
    if (error.code?.startsWith('ERR_SSL')) tell(`a client ended the handshake: ${error.message}`)
  })
  const show = showing(secure, identity)
  return {
    async take(socket, head) {
      try {
        await show()
      } catch (error) {
        tell(`a connection failed: ${(error as Error).message}`)
        socket.destroy()
        return
      }
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) socket.unshift(head)
      secure.emit('connection', socket)
    },
    async drain() {
      secure.close()
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, drainMs)
      await Promise.race([Promise.all(underWay.values()), late])
      clearTimeout(timer)
    },
  }
}

/** Returns what makes a server show the identity that is valid now. */
function showing(secure: Http2SecureServer, identity: ProxyOptions['identity']): () => Promise<void> {
  let shown: Identity | undefined
  return async () => {
    const current = await identity()
    if (current !== shown) secure.setSecureContext(current)
    shown = current
  }
}
