/** Requests of tests, with less around them than `fetch` has: that takes longer than most answers. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Keeps connections, also those of servers that have ended since. */
const agent = new Agent({ keepAlive: true })

/** Sends a request and reads its answer whole. Follows no redirects. */
export async function exchange(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string | undefined },
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const sent = request(url, { method, headers, agent }, (response) => {
    const { statusCode: status = 0, headersDistinct } = response
    const received = text(response).then((text) => ({ status, headers: toHeaders(headersDistinct), text }))
    received.then(resolve, reject)
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

function toHeaders(given: Readonly<Partial<Record<string, string[]>>>): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(given)) for (const value of values) headers.append(name, value)
  return headers
}
