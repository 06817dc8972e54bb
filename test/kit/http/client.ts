import { urlIn } from './bases.ts'
import { exchange } from './exchange.ts'

/** A decoded answer. */
export interface Answer {
  /** The requested path. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any
}

/** An API client with one token. Bodies are sent as JSON, strings unchanged. */
export interface Client {
  readonly token: string | undefined
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  request(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>
}

/**
 * Creates a client; `failures` collects internal errors of the server that its answers do not show. `always` are headers
 * of all its requests.
 */
export function makeClient(
  baseUrl: string,
  token: string | undefined,
  failures: Error[] = [],
  always: Record<string, string> = {},
): Client {
  const request: Client['request'] = async (method, path, { body: given, headers: more = {} } = {}) => {
    const { status, headers, text } = await exchange(path.startsWith('/') ? urlIn(baseUrl, path) : path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(given === undefined ? {} : { 'content-type': 'application/json' }),
        ...always,
        ...more,
      },
      ...(given === undefined ? {} : { body: typeof given === 'string' ? given : JSON.stringify(given) }),
    })
    const failure = failures.shift()
    if (failure) throw failure
    const isJson = headers.get('content-type')?.startsWith('application/json')
    const body = isJson ? JSON.parse(text) : undefined
    return { path, status, headers, text, body }
  }
  return {
    token,
    request,
    get: (path, headers) => request('GET', path, headers ? { headers } : {}),
    post: (path, body) => request('POST', path, { body }),
    put: (path, body) => request('PUT', path, { body }),
    delete: (path) => request('DELETE', path),
  }
}
