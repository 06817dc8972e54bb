/** Recorded requests as a HAR file (version 1.2), without secrets. */
import { pathOf, searchOf } from '../../kernel/contract/urls.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { loggedAgent } from '../../kernel/process/log.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import { injectedHeader } from '../faults/injected.ts'
import { masked, pathWithout, queryWithout, type SecretNames, withoutSecrets, withoutTokens } from './masks.ts'
import { operationOf, type Recorded } from './recorded.ts'

export interface HarOptions {
  /** The origin of the server as whoever asks for the file reaches it. */
  readonly origin: string
  readonly version: string
  /** The names of the fields and parameters that hold secrets. */
  readonly secret: SecretNames
  /** A comment tells readers of the file what it lacks. */
  readonly comment: string
}

export async function toHar(requests: readonly Recorded[], options: HarOptions) {
  const { version, comment } = options
  const entries = await mapInTurns(requests, (recorded) => toEntry(recorded, options))
  return { log: { version: '1.2', creator: { name: 'wolke', version }, comment, entries } }
}

const jsonType = 'application/json'

function toEntry(recorded: Recorded, { origin, secret }: HarOptions) {
  const { cameMs, answeredMs, method, url, headers, body, atMs, code, token, project } = recorded
  const query = queryWithout(searchOf(url), secret)
  const search = query.map(({ text }) => text).join('&')
  const sent = body === undefined ? undefined : JSON.stringify(withoutSecrets(body, secret))
  const { text } = recorded
  const answered = text === undefined ? undefined : JSON.stringify(withoutSecrets(JSON.parse(text), secret))
  const content = answered === undefined ? { size: 0 } : { size: Buffer.byteLength(answered), text: answered }
  const time = answeredMs - cameMs
  return {
    startedDateTime: new Date(cameMs).toISOString(),
    time,
    request: {
      method,
      url: origin + pathWithout(pathOf(url)) + (search && `?${search}`),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersToHar(headers),
      queryString: query.map(({ name, value }) => ({ name, value })),
      ...(sent === undefined ? {} : { postData: { mimeType: jsonType, text: sent } }),
      headersSize: -1,
      bodySize: sent === undefined ? 0 : Buffer.byteLength(sent),
    },
    response: {
      status: recorded.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersToHar({
        'x-correlation-id': recorded.id,
        ...(text === undefined ? {} : { 'content-type': jsonType }),
        ...(recorded.injected === undefined ? {} : { [injectedHeader]: recorded.injected }),
      }),
      content: { ...content, mimeType: jsonType },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _wolke: {
      operation: operationOf(recorded),
      time: timestamp(atMs),
      code: code ?? null,
      token,
      project,
      is_cut: recorded.isCut,
      is_lost: recorded.isLost,
    },
  }
}

function headersToHar(headers: Readonly<Record<string, string | undefined>>) {
  return Object.entries(headers).map(([name, value = '']) => ({ name, value: headerWithout(name, value) }))
}

function headerWithout(name: string, value: string): string {
  if (name === 'authorization') return masked
  return withoutTokens((name === 'user-agent' ? loggedAgent(value) : undefined) ?? value)
}
