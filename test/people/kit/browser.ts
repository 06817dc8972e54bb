/** A browser as far as the pages of people need one: cookies, forms, redirects, and the headers that browsers add. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { makeSetupLink } from '../../../src/people/setup.ts'
import type { World } from '../../kit/harness.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly body: any
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[]
}

export interface BrowserOptions {
  /** The host without its port. */
  readonly host?: string
  /** Another one than that of the server. */
  readonly port?: string
  readonly language?: string
}

export class TestBrowser {
  readonly host: string
  readonly origin: string
  readonly jar = new Map<string, string>()
  readonly #port: number
  readonly #language: string

  constructor({ baseUrl }: Pick<World, 'baseUrl'>, { host = 'localhost', port, language = 'en' }: BrowserOptions = {}) {
    const { port: actual } = new URL(baseUrl)
    this.#port = Number(actual)
    this.host = port === '' ? host : `${host}:${port ?? actual}`
    this.origin = `http://${this.host}`
    this.#language = language
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('GET', path, undefined, { 'sec-fetch-site': 'none', ...headers })
  }

  /** Sends a form. */
  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const type = 'application/x-www-form-urlencoded'
    return this.send('POST', path, String(new URLSearchParams(fields)), {
      ...this.own,
      'content-type': type,
      ...headers,
    })
  }

  /** Calls the API as a script of the page does. */
  api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const text = body === undefined ? undefined : JSON.stringify(body)
    return this.send(method, path, text, { ...this.own, ...type, ...headers })
  }

  /** What browsers send along with requests of our own pages. */
  get own(): Record<string, string> {
    return { origin: this.origin, 'sec-fetch-site': 'same-origin' }
  }

  /** A browser of the same person: another profile with the same cookies. */
  copy(world: Pick<World, 'baseUrl'>): TestBrowser {
    const other = new TestBrowser(world, { host: this.host.replace(/:\d+$/, '') })
    for (const [name, value] of this.jar) other.jar.set(name, value)
    return other
  }

  /** The cookie of a session, as its name and value. */
  get session(): readonly [string, string] | undefined {
    return [...this.jar].find(([name]) => /^(__Host-)?wolke-[0-9a-f]+$/.test(name))
  }

  async send(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Reply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const all = {
      host: this.host,
      'accept-language': this.#language,
      accept: 'text/html',
      ...(cookie ? { cookie } : {}),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const options = { host: '127.0.0.1', port: this.#port, method, path, headers: sent, agent: false as const }
    const asked = request(options, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8')
        const isJson = response.headers['content-type']?.startsWith('application/json')
        const cookies = response.headers['set-cookie'] ?? []
        const { headers } = response
        resolve({ status: response.statusCode!, headers, text, body: isJson ? JSON.parse(text) : undefined, cookies })
      })
    })
    asked.on('error', reject)
    asked.end(body)
    const reply = await promise
    for (const one of reply.cookies) this.#keep(one)
    return reply
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/;\s*Max-Age=0\b/i.test(cookie)) this.jar.delete(name)
    else this.jar.set(name, value)
  }
}

/** A password that nobody tries first. */
export const password = 'sieben blaue Teller tanzen'
export const adminEmail = 'jana@nordlicht.example'

/** Sets an installation up and returns the browser of its first administrator, who is signed in. */
export async function setUp(world: World, options: BrowserOptions = {}): Promise<TestBrowser> {
  const code = await makeSetupLink(world.db)
  assert.ok(code)
  const browser = new TestBrowser(world, options)
  const fields = { code, name: 'Jana Nord', email: adminEmail, password }
  const reply = await browser.post('/console/setup', fields)
  assert.equal(reply.status, 303, reply.text)
  return browser
}

/** Signs in with a password. */
export async function signIn(browser: TestBrowser, email = adminEmail, secret = password): Promise<Reply> {
  return browser.post('/console/login', { email, password: secret })
}

/** The same rows as below `/wolke/v1`, for sessions. */
export const own = '/console/api/wolke/v1'
