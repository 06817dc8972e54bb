/** A living Project of any server with this API, of which only reading is asked: whatever is no GET is not sent. */
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../kernel/errors.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import { type Access, type Given, isObject, strange } from './access.ts'
import type { SeedOperation } from './kinds.ts'

export interface RemoteOptions {
  /** The root of the API, such as `https://cloud.example.com/v1`. */
  readonly endpoint: string
  readonly token: string
  /** Is told when a server asks for patience, in seconds. */
  readonly waits?: (seconds: number) => void
}

/** The longest time that a server is waited for, in milliseconds. */
const patienceMs = 60_000
/** The most times that a request is sent which was too much, and the longest time between two, in seconds. */
const mostTries = 20
const longestWait = 300

/** Asks a server. Errors: `ApiError` with the status of its refusals; `unavailable` when it cannot be reached. */
export class Remote implements Access {
  readonly #options: RemoteOptions

  constructor(options: RemoteOptions) {
    this.#options = options
  }

  async call({ endpoint: { method, path } }: SeedOperation, { params = {}, query = {} }: Given): Promise<Fields> {
    if (method !== 'GET') throw new Error(`${method} ${path} is not for reading`)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    return this.get(filled, query)
  }

  /** Gets what is at a path below the root. */
  async get(path: string, query: NonNullable<Given['query']>): Promise<Fields> {
    const url = new URL(`${this.#options.endpoint.replace(/\/+$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    for (let tries = 1; ; tries++) {
      const response = await this.#ask(url)
      if (response.status === 429 && tries < mostTries) {
        await response.body?.cancel()
        await this.#wait(response.headers)
      } else return read(response)
    }
  }

  /** Redirections are not followed: the token is for this server alone. */
  async #ask(url: URL): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#options.token}`, accept: 'application/json' }
    try {
      return await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    } catch (error) {
      const { cause, message } = error as Error
      throw new ApiError('unavailable', `cannot be reached: ${cause instanceof Error ? cause.message : message}`)
    }
  }

  async #wait(headers: Headers): Promise<void> {
    const given = Number(headers.get('retry-after') ?? Number.NaN)
    const seconds = Math.min(Number.isFinite(given) && given >= 0 ? given : 1, longestWait)
    this.#options.waits?.(seconds)
    await delay(seconds * 1_000)
  }
}

async function read(response: Response): Promise<Fields> {
  const body = parsed(await textOf(response))
  if (response.ok) {
    if (body) return body
    throw strange(`${response.status} without an object in JSON`)
  }
  const { message, code } = isObject(body?.error) ? body.error : {}
  const told = typeof message === 'string' ? message : strange(`${response.status} without an error in JSON`).message
  const reason = typeof code === 'string' ? `${told} (${code})` : told
  throw new ApiError('service_error', reason, { status: response.status })
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    const { cause, message } = error as Error
    throw strange(`its body breaks off: ${cause instanceof Error ? cause.message : message}`)
  }
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
