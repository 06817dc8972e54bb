/** An identity provider that says whatever a test wants, with a signature that is its own or somebody else's. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [own, stranger] = [pair(), pair()]

/** What an answer of the provider says, and who has signed it. */
export interface Said {
  readonly claims: Readonly<Record<string, unknown>>
  readonly isForged?: boolean
}

export interface FalseProvider {
  readonly issuer: string
  /** Where the browser goes back to, from the address at the provider that it was sent to. */
  wayBack(url: string, said: Said): string
  stop(): Promise<void>
}

/** Starts one. Its codes are what they stand for. `more` changes what it says about itself. */
export async function startFalseProvider(more: Readonly<Record<string, unknown>> = {}): Promise<FalseProvider> {
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const about = {
    ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
    ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'], subject_types_supported: ['public'] },
    ...{ id_token_signing_alg_values_supported: ['RS256'], ...more },
  }
  const answerTo = async (request: IncomingMessage): Promise<object | undefined> => {
    if (request.url === '/.well-known/openid-configuration') return about
    const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }
    if (request.url === '/jwks') return { keys: [jwk] }
    if (request.url !== '/token') return undefined
    const form = new URLSearchParams((await request.toArray()).join(''))
    const { claims, nonce, isForged } = JSON.parse(Buffer.from(form.get('code')!, 'base64url').toString())
    const now = Math.floor(Date.now() / 1_000)
    const payload = { iss: issuer, aud: 'wolke', iat: now, exp: now + 60, auth_time: now, nonce, ...claims }
    return { access_token: 'any', token_type: 'Bearer', id_token: signed(payload, isForged) }
  }
  return {
    issuer,
    wayBack(url, said) {
      const { searchParams } = new URL(url)
      const code = encoded({ ...said, nonce: searchParams.get('nonce') })
      const { pathname } = new URL(searchParams.get('redirect_uri')!)
      return `${pathname}?${new URLSearchParams({ code, state: searchParams.get('state')! })}`
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(payload: object, isForged: boolean): string {
  const text = `${encoded({ alg: 'RS256', kid: 'own' })}.${encoded(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), (isForged ? stranger : own).privateKey).toString('base64url')}`
}
