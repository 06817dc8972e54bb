/** A real identity provider on this machine, and somebody who signs in to it in a browser. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

export interface ProviderAccount {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

export const client = { client_id: 'wolke', client_secret: 'secret of the client of this installation' }

export interface RunningProvider {
  readonly issuer: string
  /** Accounts by name; the name is the subject. */
  readonly accounts: Map<string, ProviderAccount>
  /** Lets the provider send browsers back to a place. */
  allow(redirectUri: string): void
  /** Signs in at the address that the installation has sent the browser to; returns the way back. */
  signIn(url: string, name: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a provider. Every name may sign in with any password; accounts have what `accounts` says. */
export async function startProvider(): Promise<RunningProvider> {
  const accounts = new Map<string, ProviderAccount>()
  const redirects: string[] = ['http://localhost/none']
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const issuer = `http://127.0.0.1:${port}`
  const make = () =>
    new Provider(issuer, {
      clients: [
        { ...client, redirect_uris: [...redirects], response_types: ['code'], grant_types: ['authorization_code'] },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      cookies: { keys: ['cookies of the test'] },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...(accounts.get(id) as Record<string, unknown> | undefined) }),
      }),
    })
  let handle = make().callback()
  return {
    issuer,
    accounts,
    allow(redirectUri) {
      redirects.push(redirectUri)
      handle = make().callback()
    },
    signIn: (url, name) => walk(url, name),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Follows the provider's pages until it sends the browser back. */
async function walk(start: string, name: string): Promise<string> {
  const { origin } = new URL(start)
  const jar = new Map<string, string>()
  let url = start
  for (let step = 0; step < 20; step++) {
    const page = await ask(url, jar)
    const form = page.location === undefined ? await answerForm(page.text, url, name, jar) : page.location
    url = new URL(form, url).href
    if (!url.startsWith(origin)) return url
  }
  throw new Error(`the provider went in circles: ${url}`)
}

async function answerForm(text: string, url: string, name: string, jar: Map<string, string>): Promise<string> {
  const action = /action="([^"]+)"/.exec(text)?.[1]
  const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
  if (!action || !prompt) throw new Error(`the provider shows no form at ${url}: ${text.slice(0, 400)}`)
  const fields = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: name, password: 'any' } : {}) })
  const { location } = await ask(new URL(action, url).href, jar, fields)
  if (location === undefined) throw new Error('the provider did not take the form')
  return location
}

async function ask(url: string, jar: Map<string, string>, body?: URLSearchParams) {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const sent = body ? { method: 'POST', body } : {}
  const response = await fetch(url, { ...sent, redirect: 'manual', headers: { cookie, accept: 'text/html' } })
  for (const one of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  return { location: response.headers.get('location') ?? undefined, text: await response.text() }
}
