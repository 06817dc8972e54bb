/** The messages of ACME (RFC 8555, 6): each is signed with the account's key and has a nonce from the authority. */
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Outbound, OutboundAnswer } from './outbound.ts'
import { isOfType, type Problem, refusalOf, unusable } from './problems.ts'

export interface AcmeClientOptions {
  readonly outbound: Outbound
  readonly directory: string
  /** A mail address. */
  readonly contact: string | undefined
  /** External account binding; the key is base64url. */
  readonly binding: { readonly kid: string; readonly key: string } | undefined
  /** Returns the account's key, which all processes share; the first call stores what `make` returns. */
  keep(make: () => Promise<string>): Promise<string>
  /** A message is sent so often while the authority refuses its nonce (RFC 8555, 6.5); 5 times by default. */
  readonly nonceAttempts?: number | undefined
}

export interface Directory {
  readonly newNonce: string
  readonly newAccount: string
  readonly newOrder: string
  readonly renewalInfo?: string
  readonly meta?: { readonly caaIdentities?: readonly string[] }
}

export interface AcmeClient {
  directory(): Promise<Directory>
  /** The thumbprint of the account's key (RFC 7638). */
  thumbprint(): Promise<string>
  /** Sends a payload on behalf of the account. */
  post<T>(url: string, payload: object): Promise<{ readonly location: string | undefined; readonly body: T }>
  read<T>(url: string): Promise<T>
  look<T>(url: string): Promise<{ readonly body: T; readonly retryAfterMs: number | undefined }>
  text(url: string): Promise<string>
}

const makeKeyPair = promisify(generateKeyPair)
/** The maximum number of unused nonces that are kept. */
const maxNonces = 32

/** Creates a client without sending any request. */
export function openClient(options: AcmeClientOptions): AcmeClient {
  const { outbound, keep, nonceAttempts = 5 } = options
  const nonces: string[] = []
  const directory = remembered(async () => readDirectory(await outbound.send(options.directory)))
  const accountKey = remembered(async () => createPrivateKey(await keep(makeAccountKey)))
  const account = remembered(async () => {
    const { newAccount } = await directory()
    const { location } = await exchange(newAccount, await registration(options, newAccount, await accountKey()))
    if (location === undefined) throw unusable('an account has no URL')
    return location
  })

  const takeNonce = async () => {
    const nonce = nonces.pop()
    if (nonce !== undefined) return nonce
    const answer = await outbound.send((await directory()).newNonce, { method: 'HEAD' })
    return answer.header('replay-nonce') ?? raise(unusable('an answer has no nonce'))
  }

  /** Sends a message, and sends it again while only its nonce is refused. Throws `DriverError`. */
  async function exchange(url: string, payload: object | '', kid?: string): Promise<Exchanged> {
    const key = await accountKey()
    for (let attempt = 1; ; attempt++) {
      const header = { nonce: await takeNonce(), url, ...(kid === undefined ? { jwk: publicJwk(key) } : { kid }) }
      const answer = await outbound.send(url, { method: 'POST', body: signed(key, header, payload) })
      const fresh = answer.header('replay-nonce')
      if (fresh !== undefined && nonces.length < maxNonces) nonces.push(fresh)
      if (answer.status < 300) return { answer, location: answer.header('location') }
      const refused = refusalOf(problemOf(answer), { isValidation: false })
      if (!isOfType(refused, ['badNonce']) || attempt >= nonceAttempts) throw refused
    }
  }
  const asAccount = async (url: string, payload: object | '') => {
    try {
      return await exchange(url, payload, await account())
    } catch (error) {
      if (!isOfType(error, ['accountDoesNotExist'])) throw error
      account.forget()
      return exchange(url, payload, await account())
    }
  }

  return {
    directory,
    async thumbprint() {
      const jwk = JSON.stringify(publicJwk(await accountKey()))
      return createHash('sha256').update(jwk).digest('base64url')
    },
    async post<T>(url: string, payload: object) {
      const { answer, location } = await asAccount(url, payload)
      return { location, body: jsonOf(answer) as T }
    },
    async read<T>(url: string) {
      return jsonOf((await asAccount(url, '')).answer) as T
    },
    async look<T>(url: string) {
      const { answer } = await asAccount(url, '')
      const seconds = Number(answer.header('retry-after'))
      return { body: jsonOf(answer) as T, retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined }
    },
    text: async (url) => (await asAccount(url, '')).answer.text,
  }
}

interface Exchanged {
  readonly answer: OutboundAnswer
  readonly location: string | undefined
}

function raise(error: Error): never {
  throw error
}

/** Caches what `make` resolves to, unless it fails, until `forget` is called. */
function remembered<T>(make: () => Promise<T>): (() => Promise<T>) & { forget(): void } {
  let made: Promise<T> | undefined
  const forget = () => {
    made = undefined
  }
  const get = () => {
    made ??= make().catch((error: unknown) => {
      forget()
      throw error
    })
    return made
  }
  return Object.assign(get, { forget })
}

// ---- Answers -------------------------------------------------------------------------------------------------------

/** Parses an answer that must be a JSON object. Throws `DriverError` otherwise. */
export function jsonOf({ text }: Pick<OutboundAnswer, 'text'>): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Handled below like any other answer that is not an object.
  }
  throw unusable(`an answer is not a JSON object: ${text.slice(0, 100)}`)
}

function readDirectory(answer: OutboundAnswer): Directory {
  const found = jsonOf(answer) as Partial<Directory>
  const { newNonce, newAccount, newOrder } = found
  if (answer.status !== 200 || !newNonce || !newAccount || !newOrder) throw unusable('the directory is incomplete')
  return { ...found, newNonce, newAccount, newOrder }
}

function problemOf({ status, text }: OutboundAnswer): Problem {
  try {
    const problem = JSON.parse(text) as Problem | null
    if (typeof problem?.type === 'string') return problem
  } catch {
    // An intermediate proxy may answer with anything.
  }
  return { type: status >= 500 || status === 429 ? 'serverInternal' : 'unknown', detail: `${status} ${text}` }
}

// ---- Signatures (RFC 7515) -----------------------------------------------------------------------------------------

async function makeAccountKey(): Promise<string> {
  const { privateKey } = await makeKeyPair('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** The members of a JWK in the order that its thumbprint requires. */
function publicJwk(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

const encoded = (value: object | '') => Buffer.from(value === '' ? '' : JSON.stringify(value)).toString('base64url')

/** Signs a message; an empty payload reads a resource (RFC 8555, 6.3). */
function signed(key: KeyObject, header: object, payload: object | ''): string {
  const [head, body] = [encoded({ alg: 'ES256', ...header }), encoded(payload)]
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
}

/** The account request. The same key gets the same account (RFC 8555, 7.3.1), so its URL need not be stored. */
async function registration({ contact, binding }: AcmeClientOptions, url: string, key: KeyObject): Promise<object> {
  return {
    termsOfServiceAgreed: true,
    ...(contact === undefined ? {} : { contact: [`mailto:${contact}`] }),
    ...(binding === undefined ? {} : { externalAccountBinding: bound(binding, url, publicJwk(key)) }),
  }
}

/** The account's key, signed with the key of the external account binding (RFC 8555, 7.3.4). */
function bound({ kid, key }: { kid: string; key: string }, url: string, jwk: object): object {
  const [head, body] = [encoded({ alg: 'HS256', kid, url }), encoded(jwk)]
  const signature = createHmac('sha256', Buffer.from(key, 'base64url')).update(`${head}.${body}`).digest('base64url')
  return { protected: head, payload: body, signature }
}
