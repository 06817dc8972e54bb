/** A fake ACME authority whose answers each test chooses, including answers that no real authority gives. */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificate, privateKey } from '../fixtures/tls.ts'

export interface StubAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON; a function writes chunks and never ends the answer. */
  readonly body?: object | string | ((write: (chunk: string) => void) => void)
}

/** The decoded payload of a signed message. */
// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
export type Payload = any

export interface AcmeStub {
  readonly url: string
  readonly directory: string
  /** Requested paths in order, with their payloads. */
  readonly seen: { readonly path: string; readonly payload: Payload }[]
  /** Replaces the answer of a path from now on. */
  say(path: string, answer: (payload: Payload) => StubAnswer): void
  close(): Promise<void>
}

/** An ACME problem document. */
export const problem = (status: number, type: string, detail = 'secret words'): StubAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: `urn:ietf:params:acme:error:${type}`, detail },
})

/** Starts an authority that by default issues for www.stub.example at once and without a challenge. */
export async function startAcmeStub(): Promise<AcmeStub> {
  const answers = new Map<string, (payload: Payload) => StubAnswer>()
  const seen: AcmeStub['seen'][number][] = []
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, outgoing) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    incoming.on('end', () => {
      const path = incoming.url!
      const payload = payloadOf(text)
      seen.push({ path, payload })
      const { status = 200, headers = {}, body = {} } = answers.get(path)?.(payload) ?? { status: 404 }
      outgoing.writeHead(status, { 'replay-nonce': `nonce-${seen.length}`, ...headers })
      if (typeof body === 'function') body((chunk: string) => void outgoing.write(chunk))
      else outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const say: AcmeStub['say'] = (path, answer) => void answers.set(path, answer)
  obliging(url, say)
  return { url, directory: `${url}/dir`, seen, say, close: () => closed(server) }
}

function obliging(url: string, say: AcmeStub['say']): void {
  const at = (path: string) => `${url}${path}`
  const [newNonce, newAccount, newOrder] = [at('/nonce'), at('/account'), at('/new-order')]
  const authorizations = [at('/authorization')]
  const order = { status: 'valid', authorizations, finalize: at('/finalize'), certificate: at('/certificate') }
  const identifier = { type: 'dns', value: 'www.stub.example' }
  const challenge = { type: 'dns-01', url: at('/challenge'), status: 'pending', token: 'token' }
  say('/dir', () => ({ body: { newNonce, newAccount, newOrder } }))
  say('/nonce', () => ({}))
  say('/account', () => ({ status: 201, headers: { location: at('/account/1') } }))
  say('/new-order', () => ({ status: 201, headers: { location: at('/order') }, body: order }))
  say('/order', () => ({ body: order }))
  say('/authorization', () => ({ body: { status: 'valid', identifier, challenges: [challenge] } }))
  say('/challenge', () => ({ body: challenge }))
  say('/finalize', () => ({ body: order }))
  say('/certificate', () => ({ body: 'a chain' }))
}

function payloadOf(text: string): Payload {
  if (text === '') return undefined
  const { payload } = JSON.parse(text) as { payload: string }
  return payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
