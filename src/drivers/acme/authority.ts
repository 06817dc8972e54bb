/** A certificate authority driver for ACME (RFC 8555) with the dns-01 challenge and renewal information (RFC 9773). */
import { createHash, X509Certificate } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AuthorityDriver, AuthorityOrder, RenewalHint } from '../../families/certificates/managed/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { type AcmeClient, type AcmeClientOptions, jsonOf, openClient } from '../../protocols/acme/client.ts'
import { type OutboundAnswer, type OutboundOptions, openOutbound } from '../../protocols/acme/outbound.ts'
import { isOfType, type Problem, refusalOf, unusable } from '../../protocols/acme/problems.ts'
import { loadX509 } from '../../protocols/net/x509-writing.ts'

export type AcmeOptions = Omit<AcmeClientOptions, 'outbound'> &
  OutboundOptions & {
    /** How long one call waits for the authority to make progress, in milliseconds. */
    readonly patienceMs?: number
  }

/** A client with a limit on how long its calls may wait. */
interface Patient {
  readonly client: AcmeClient
  readonly patienceMs: number
}

interface Challenge {
  readonly type: string
  readonly url: string
  readonly status: string
  readonly token?: string
  readonly error?: Problem
}

interface Authorization {
  readonly status: string
  readonly identifier: { readonly value: string }
  readonly challenges: readonly Challenge[]
}

interface Order {
  readonly status: string
  readonly authorizations: readonly string[]
  readonly finalize: string
  readonly certificate?: string
  readonly error?: Problem
}

/** The maximum number of authorizations, which is that of names in an order. */
const maxAuthorizations = 100
/** Poll intervals in milliseconds. */
const pauseMs = { least: 250, usual: 1_000, most: 10_000 }

/** Creates the driver without sending any request. */
export function openAcme(options: AcmeOptions): AuthorityDriver {
  const outbound = openOutbound(options)
  const client = openClient({ ...options, outbound })
  const patient: Patient = { client, patienceMs: options.patienceMs ?? 30_000 }
  return {
    async caaIdentities() {
      const { meta } = await client.directory()
      return (meta?.caaIdentities ?? []).map((name) => name.toLowerCase())
    },

    async order({ domains, replaces }) {
      const identifiers = domains.map((value) => ({ type: 'dns', value }))
      const { newOrder, renewalInfo } = await client.directory()
      const replaced = replaces !== null && renewalInfo !== undefined ? await renewalId(replaces) : undefined
      const { location, body } = await openOrder(client, newOrder, { identifiers }, replaced)
      if (location === undefined) throw unusable('an order has no URL')
      const challenges = []
      for (const url of authorizationsOf(body)) {
        const { status, identifier, ...authorization } = await client.read<Authorization>(url)
        if (status === 'valid') continue
        const domain = identifier.value
        if (!domains.some((one) => bare(one) === domain)) throw unusable('an authorization is for another domain')
        challenges.push({ domain, value: await digest(client, challengeOf(authorization).token) })
      }
      return { url: location, challenges }
    },

    async validate({ url }) {
      const authorizations = authorizationsOf(await client.read<Order>(url))
      for (const authorization of authorizations) await begin(client, authorization)
      for (const authorization of authorizations) await settle(patient, authorization)
    },

    async issue(order, request) {
      const finished = await finalize(patient, order, request)
      if (finished.certificate === undefined) throw unusable('a finished order has no certificate')
      return client.text(finished.certificate)
    },

    async renewalHint(chain) {
      const { renewalInfo } = await client.directory()
      const id = renewalInfo === undefined ? undefined : await renewalId(chain)
      if (id === undefined) return undefined
      return readHint(await outbound.send(`${renewalInfo}/${id}`))
    },
  }
}

/** Orders as a renewal first; if the authority does not accept that, as a new certificate. */
async function openOrder(client: AcmeClient, url: string, wanted: object, replaces: string | undefined) {
  if (replaces === undefined) return client.post<Order>(url, wanted)
  try {
    return await client.post<Order>(url, { ...wanted, replaces })
  } catch (error) {
    if (!isOfType(error, ['alreadyReplaced', 'conflict', 'malformed', 'unauthorized'])) throw error
    return client.post<Order>(url, wanted)
  }
}

// ---- Authorizations ------------------------------------------------------------------------------------------------

function authorizationsOf({ authorizations }: Order): readonly string[] {
  if (!Array.isArray(authorizations) || authorizations.length > maxAuthorizations) {
    throw unusable('an order has no authorizations, or too many')
  }
  return authorizations
}

const bare = (domain: string) => domain.replace(/^\*\./, '')

function challengeOf({ challenges }: Pick<Authorization, 'challenges'>): Challenge & { readonly token: string } {
  const found = challenges.find(({ type }) => type === 'dns-01')
  if (!found || typeof found.token !== 'string') throw unusable('an authorization has no dns-01 challenge')
  return { ...found, token: found.token }
}

async function digest(client: AcmeClient, token: string): Promise<string> {
  const authorization = `${token}.${await client.thumbprint()}`
  return createHash('sha256').update(authorization).digest('base64url')
}

/** Tells the authority that a challenge is ready, unless it has been told before. */
async function begin(client: AcmeClient, url: string): Promise<void> {
  await pushOn<Authorization>(client, url, (authorization) => {
    if (authorization.status !== 'pending') return undefined
    const challenge = challengeOf(authorization)
    return challenge.status === 'pending' ? { url: challenge.url, payload: {} } : undefined
  })
}

/**
 * Sends the request that a resource waits for, if any. A process that died may have sent the same request just before,
 * so the authority may move on between our read and our request: a refusal counts only if the resource still waits.
 */
async function pushOn<T>(
  client: AcmeClient,
  url: string,
  waitsFor: (body: T) => { readonly url: string; readonly payload: object } | undefined,
): Promise<void> {
  const next = waitsFor(await client.read<T>(url))
  if (!next) return
  try {
    await client.post(next.url, next.payload)
  } catch (error) {
    if (waitsFor(await client.read<T>(url))) throw error
  }
}

async function settle(patient: Patient, url: string): Promise<void> {
  const { status, challenges } = await poll(
    patient,
    url,
    (authorization: Authorization) => authorization.status !== 'pending',
  )
  if (status === 'valid') return
  const error = challenges.find((challenge) => challenge.error !== undefined)?.error
  throw refusalOf(error ?? { type: 'unauthorized', detail: `the authorization is ${status}` }, { isValidation: true })
}

// ---- Orders --------------------------------------------------------------------------------------------------------

async function finalize(patient: Patient, { url }: AuthorityOrder, request: Buffer): Promise<Order> {
  const { client } = patient
  const csr = request.toString('base64url')
  await pushOn<Order>(client, url, ({ status, finalize: to }) =>
    status === 'ready' ? { url: to, payload: { csr } } : undefined,
  )
  const finished = await poll(patient, url, ({ status }: Order) => status === 'valid' || status === 'invalid')
  if (finished.status === 'valid') return finished
  // A challenge sent twice because of a crash may fail after its authorization was already valid.
  throw refusalOf(finished.error ?? { type: 'unknown', detail: 'the order is invalid' }, { isValidation: true })
}

/** Polls a resource until it is ready. Throws a transient `DriverError` when that takes too long. */
async function poll<T>({ client, patienceMs }: Patient, url: string, isReady: (body: T) => boolean): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let pause = pauseMs.least; ; pause = Math.min(pauseMs.usual, pause * 2)) {
    const { body, retryAfterMs } = await client.look<T>(url)
    if (isReady(body)) return body
    const next = Math.min(pauseMs.most, Math.max(pause, retryAfterMs ?? 0))
    if (performance.now() + next > deadline) {
      throw new DriverError('the certificate authority takes too long', { transient: true })
    }
    await delay(next)
  }
}

// ---- Renewal information (RFC 9773) --------------------------------------------------------------------------------

/**
 * The ARI identifier of a certificate: its authority key identifier and its serial number. Undefined for a certificate
 * without an authority key identifier.
 */
async function renewalId(chain: string): Promise<string | undefined> {
  const { X509Certificate: Reader, AuthorityKeyIdentifierExtension } = await loadX509()
  const keyId = new Reader(chain).getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (keyId === undefined) return undefined
  const { serialNumber } = new X509Certificate(chain)
  // DER encodes a signed number: a serial whose first bit is set gets a leading zero byte.
  const serial = Buffer.from(serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`, 'hex')
  const signed = serial[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${signed.toString('base64url')}`
}

function readHint(answer: OutboundAnswer): RenewalHint {
  if (answer.status !== 200) throw unusable(`a renewal hint has the status ${answer.status}`)
  const { suggestedWindow } = jsonOf(answer) as { suggestedWindow?: { start?: unknown; end?: unknown } }
  const [start, end] = [Date.parse(String(suggestedWindow?.start)), Date.parse(String(suggestedWindow?.end))]
  if (Number.isNaN(start) || Number.isNaN(end) || end <= start) throw unusable('a renewal hint has no window')
  const seconds = Number(answer.header('retry-after'))
  return { start, end, askAgainAfterMs: seconds > 0 ? seconds * 1_000 : undefined }
}
