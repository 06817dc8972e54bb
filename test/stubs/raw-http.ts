/** HTTP over raw sockets: sends exact bytes and parses the answers. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'

/** One answer as received. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends the pieces, reads until the other side closes or `count` answers have arrived, and returns the answers. */
export async function talk(
  socket: Socket,
  pieces: (string | Buffer)[],
  count = Number.POSITIVE_INFINITY,
): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = []
  let rest = ''
  const done = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      rest = parse(rest + bytes.toString('latin1'), answers)
      if (answers.length >= count) resolve()
    })
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
  })
  for (const piece of pieces) if (socket.writable) socket.write(piece)
  await done
  socket.destroy()
  return answers
}

/** Adds the whole answers in a text; the rest of it. */
function parse(received: string, answers: RawAnswer[]): string {
  let text = received
  for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
    const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => /^([^:]*):\s*(.*)$/.exec(line.toLowerCase())!.slice(1)))
    const status = Number(statusLine.split(' ')[1])
    const length = status === 100 || status === 204 ? 0 : Number(headers['content-length'])
    assert.ok(length >= 0, `the answer tells its length: ${text}`)
    if (text.length < end + 4 + length) break
    if (status !== 100) answers.push({ status, headers, text: text.slice(end + 4, end + 4 + length) })
    text = text.slice(end + 4 + length)
  }
  return text
}

export function checkHeaders(headers: Readonly<Record<string, string | undefined>>): void {
  assert.match(headers['x-correlation-id'] ?? '', /^[0-9a-f]{16,32}$/)
  assert.ok(headers['cache-control'])
  assert.equal(headers['x-content-type-options'], 'nosniff')
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    assert.match(headers[name] ?? '', /^\d+$/, name)
  }
}

export function checkEnvelope(answer: RawAnswer | undefined, status: number, code: string): void {
  assert.ok(answer, 'there is an answer')
  assert.equal(answer.status, status, answer.text)
  checkHeaders(answer.headers)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  const body = JSON.parse(answer.text)
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error), ['code', 'message', 'details'])
  assert.equal(body.error.code, code)
  assert.notEqual(body.error.message, '')
}

/** A request as text; by default `Connection: close` makes the server end the connection. */
export function request(line: string, token: string | undefined, headers: string[] = [], body = ''): string {
  const all = ['Host: wolke.example', 'Connection: close', ...headers]
  if (token) all.push(`Authorization: Bearer ${token}`)
  return `${line} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`
}
