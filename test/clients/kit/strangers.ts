/** Whom a client would ask besides this machine: a proxy that refuses everything, and notes for whom it was meant. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Strangers {
  /** Makes a client ask the proxy for whatever is not on this machine. */
  readonly env: Readonly<Record<string, string>>
  /** Whom clients have asked since the last time, as host and port. */
  take(): string[]
  stop(): Promise<void>
}

/** Starts the proxy on a free port. */
export async function refuseStrangers(): Promise<Strangers> {
  let asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(new URL(request.url!).host)
    response.writeHead(403).end()
  })
  server.on('connect', (request, socket) => {
    asked.push(request.url!)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1' },
    take() {
      const all = asked
      asked = []
      return all
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
