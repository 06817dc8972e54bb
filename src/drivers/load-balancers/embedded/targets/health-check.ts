/** One health check of one target: connects, asks when it speaks HTTP, and says what is wrong with the answer. */
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { BalancerHealthCheck, Health } from '../../../../families/load-balancers/driver.ts'
import { ownHeader } from '../proxy-protocol.ts'

export type CheckResult = Exclude<Health, { status: 'unknown' }>
type HttpCheck = NonNullable<BalancerHealthCheck['http']>
type Detail = Extract<Health, { status: 'unhealthy' }>['detail']

export interface CheckedTarget {
  readonly address: string
  readonly usesProxyProtocol: boolean
  readonly check: BalancerHealthCheck
}

/** How much of an answer is looked at, in bytes: the header and the body. */
const longestAnswer = 2 * 32_768

/** After so many pieces, an answer is judged when so many characters are new. */
const mostPieces = 256
const judgedAtOnce = 1_024

const healthy: CheckResult = { status: 'healthy' }

function unhealthy(detail: Detail, httpStatusCode: number | null = null): CheckResult {
  return { status: 'unhealthy', detail, httpStatusCode }
}

/** Checks a target once. It has timed out when `deadline` aborts. */
export async function checkTarget(target: CheckedTarget, deadline: AbortSignal): Promise<CheckResult> {
  const { address, usesProxyProtocol, check } = target
  const socket = connect({ host: address, port: check.port, noDelay: true })
  // Errors are seen where the socket is waited for; this keeps one that comes later from being thrown.
  socket.on('error', () => socket.destroy())
  try {
    const failure = await connected(socket, deadline)
    if (failure) return failure
    if (usesProxyProtocol) socket.write(ownHeader)
    return check.http ? await checkHttp(socket, check.http, deadline) : healthy
  } finally {
    socket.destroy()
  }
}

/** Waits until the socket is connected; the result of the check when it never is. */
async function connected(socket: Socket, deadline: AbortSignal): Promise<CheckResult | undefined> {
  try {
    await once(socket, 'connect', { signal: deadline })
    return undefined
  } catch {
    return unhealthy(deadline.aborted ? 'layer4_timeout' : 'layer4_no_connection')
  }
}

async function checkHttp(socket: Socket, http: HttpCheck, deadline: AbortSignal): Promise<CheckResult> {
  let channel = socket
  if (http.usesTls) {
    try {
      channel = await secured(socket, http.domain, deadline)
    } catch {
      return unhealthy('unspecified')
    }
  }
  channel.write(requestOf(http))
  try {
    return await readAnswer(channel, http, deadline)
  } catch {
    return unhealthy(deadline.aborted ? 'layer7_timeout' : 'unspecified')
  }
}

/** Speaks TLS from now on. The certificate of a target is not verified, as it has no public name. */
async function secured(socket: Socket, domain: string, deadline: AbortSignal): Promise<Socket> {
  const name = domain.replace(/:\d+$/, '')
  const servername = name && isIP(name) === 0 ? { servername: name } : {}
  const channel = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...servername })
  channel.on('error', () => channel.destroy())
  await once(channel, 'secureConnect', { signal: deadline })
  return channel
}

/** Without a domain it is HTTP/1.0, as HTTP/1.1 demands a `Host`. */
function requestOf({ path, domain }: HttpCheck): string {
  if (!domain) return `GET ${path} HTTP/1.0\r\nConnection: close\r\n\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`
}

/** Reads as much as it takes to judge. Throws when the connection breaks or the deadline passes before. */
async function readAnswer(channel: Socket, http: HttpCheck, signal: AbortSignal): Promise<CheckResult> {
  let answer = ''
  let [pieces, judged] = [0, 0]
  const abort = () => channel.destroy(new Error('the check took too long'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    // Bytes stay what they are in latin1, and so does the text that is looked for.
    for await (const piece of channel.setEncoding('latin1')) {
      answer += piece
      // What comes in crumbs is not judged after each of them.
      if (++pieces > mostPieces && answer.length - judged < judgedAtOnce && answer.length <= longestAnswer) continue
      judged = answer.length
      const result = judge(answer, http)
      if (result) return result
      if (answer.length > longestAnswer) break
    }
  } finally {
    signal.removeEventListener('abort', abort)
  }
  const result = judged < answer.length ? judge(answer, http) : undefined
  if (result) return result
  const isHttp = /^HTTP\/1\.[01] \d{3}[\s\S]*\r?\n\r?\n/.test(answer)
  return unhealthy(isHttp ? 'unexpected_http_content' : 'unspecified')
}

/** The result when the answer so far decides it. */
function judge(answer: string, { statusCodes, response }: HttpCheck): CheckResult | undefined {
  const [, code] = /^HTTP\/1\.[01] (\d{3})[ \r\n]/.exec(answer) ?? []
  if (code === undefined) return canBeHttp(answer) ? undefined : unhealthy('unspecified')
  const headerEnd = /\r?\n\r?\n/.exec(answer)
  if (!headerEnd) return undefined
  if (!statusCodes.some((pattern) => matchesStatus(pattern, code))) {
    return unhealthy('unexpected_http_status', Number(code))
  }
  if (response === '') return healthy
  const [header, raw] = [answer.slice(0, headerEnd.index), answer.slice(headerEnd.index + headerEnd[0].length)]
  const body = /^transfer-encoding:.*chunked/im.test(header) ? joinChunks(raw) : raw
  if (body.includes(Buffer.from(response).toString('latin1'))) return healthy
  const [, length] = /^content-length: *(\d+)/im.exec(header) ?? []
  return length !== undefined && raw.length >= Number(length) ? unhealthy('unexpected_http_content') : undefined
}

/** Whether an answer that has just begun may still become one of HTTP. */
function canBeHttp(answer: string): boolean {
  const start = answer.slice(0, 13)
  return /^HTTP\/1\.[01] \d{3}[ \r\n]$/.test(start + 'HTTP/1.1 200 '.slice(start.length))
}

/** Whether a status is one of a pattern such as `2??` or `3*`. */
export function matchesStatus(pattern: string, code: string): boolean {
  return new RegExp(
    `^${pattern
      .replace(/[^\d?*]/g, '')
      .replaceAll('?', '.')
      .replaceAll('*', '.*')}$`,
  ).test(code)
}

/** The content of chunks as far as they have come. */
function joinChunks(text: string): string {
  let content = ''
  for (let at = 0; ; ) {
    const [line, size] = /^([0-9a-f]+)[^\n]*\n/i.exec(text.slice(at, at + 1_000)) ?? []
    const length = Number.parseInt(size ?? '0', 16)
    if (line === undefined || length === 0) return content
    content += text.slice(at + line.length, at + line.length + length)
    at += line.length + length + 2
  }
}
