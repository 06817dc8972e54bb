/**
 * A CONNECT proxy for programs that know no other address of the API than the public one. Connections to those hosts end
 * here, in TLS, and their requests go to a Wolke server; all others are refused, so that it leads nowhere else.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
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
export async function openProxy({ port, target, hosts, identity, tell }: ProxyOptions): Promise<Proxy> {
  const only = `wolke proxy leads only to ${hosts.map((host) => `${host}:443`).join(', ')}`
  const tunnels = new Set<Socket>()
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
  let shown: Identity | undefined
  const showCurrent = async () => {
    const current = await identity()
    if (current !== shown) secure.setSecureContext(current)
    shown = current
  }
  const listener = createServer((request, response) => {
    tell(`refused ${JSON.stringify(`${request.method} ${request.url}`)}`)
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`${only}, through CONNECT\n`)
  })
  listener.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Whatever fails here concerns this connection alone, and the client notices by itself.
    socket.on('error', () => socket.destroy())
    if (!hosts.some((host) => request.url?.toLowerCase() === `${host}:443`)) {
      tell(`refused ${JSON.stringify(request.url)}`)
      socket.end(`HTTP/1.1 403 ${only}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      return
    }
    tunnels.add(socket)
    socket.once('close', () => tunnels.delete(socket))
    showCurrent().then(
      () => openTunnel(secure, socket, head),
      (error: Error) => {
        tell(`a connection failed: ${error.message}`)
        socket.destroy()
      },
    )
  })
  listener.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(listener, 'close')
      listener.close()
      secure.close()
      const patience = new AbortController()
      await Promise.race([
        Promise.all(underWay.values()),
        delay(drainMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ])
      patience.abort()
      for (const socket of tunnels) socket.destroySoon()
      await closed
    },
  }
}

function openTunnel(secure: Http2SecureServer, socket: Socket, head: Buffer): void {
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) socket.unshift(head)
  secure.emit('connection', socket)
}
