/** A gateway in front of a server that notes the requests of a client and can answer changes itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { publicBase, publicRootOf } from '../../../src/kernel/contract/bases.ts'

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  /** Below the root of the API, decoded. */
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly body: unknown
  /** What it was authorized with. */
  readonly token: string | undefined
}

export interface Recorder {
  readonly endpoint: string
  /** Whether changes reach the server; else each is answered with 403 once it is noted. */
  lets(through: boolean): void
  /** What has arrived since the last time. */
  take(): Arrived[]
  stop(): Promise<void>
}

/** Starts a gateway to the API at this base URL. */
export async function record(target: string): Promise<Recorder> {
  let arrived: Arrived[] = []
  let letsThrough = false
  const refusal = JSON.stringify({ error: { code: 'forbidden', message: 'noted', details: null } })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const url = new URL(request.url!, 'http://gateway')
    const { method = 'GET' } = request
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    const path = decodeURIComponent(url.pathname.slice(publicRootOf(url.pathname)?.length))
    arrived.push({ method, path, query: [...url.searchParams], body, token })
    if (method !== 'GET' && !letsThrough) {
      response.writeHead(403, { 'content-type': 'application/json' }).end(refusal)
      return
    }
    const { authorization = '', 'content-type': type } = request.headers
    const headers = { authorization, ...(type === undefined ? {} : { 'content-type': type }) }
    const reply = await fetch(new URL(request.url!, target), {
      method,
      headers,
      ...(text === '' ? {} : { body: text }),
    })
    const content = await reply.text()
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' })
    response.end(content)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}${publicBase}`,
    lets(through) {
      letsThrough = through
    },
    take() {
      const all = arrived
      arrived = []
      return all
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
