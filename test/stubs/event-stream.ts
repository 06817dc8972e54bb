/** A client of the stream of events of a Project. */
import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { firstProject } from '../kit/audit-log.ts'
import type { Session, World } from '../kit/harness.ts'

/** An event as it arrived. */
export interface Told {
  readonly id: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any
}

export interface Listener {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly told: readonly Told[]
  /** What has no id, such as the beats. */
  readonly comments: readonly string[]
  /** Resolves once an event passes the test, also one that came before. */
  until(passes: (event: Told) => boolean): Promise<Told>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  /** Stops and resumes reading. */
  pause(): void
  resume(): void
  leave(): void
}

/** Opens the stream of the first Project; a refusal has a status and no events. */
export async function listen(world: World, session: Session, lastEventId?: string, away = ''): Promise<Listener> {
  const path = `/console/api/projects/${await firstProject(world)}/events${away && `?away=${away}`}`
  return listenAt(new URL(world.baseUrl).origin + path, session.headers, lastEventId)
}

/** Opens a stream at its URL, with the headers of a session. */
export async function listenAt(
  url: string,
  session: { readonly cookie: string },
  lastEventId?: string,
): Promise<Listener> {
  const headers = { ...session, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
  const asked = request(url, { headers, agent: false })
  const response = await answerOf(asked)
  const told: Told[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    const parts = (text + piece).split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      if (part.startsWith('id: ')) told.push(parse(part))
      else comments.push(part)
    }
    for (const look of waiting) look()
  })
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      for (const look of waiting) look()
      resolve()
    })
    response.on('error', () => resolve())
  })
  return {
    status: response.statusCode!,
    headers: response.headers,
    told,
    comments,
    ended,
    until: (passes) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = told.find(passes)
          if (!found && !response.closed) return
          waiting.delete(look)
          if (found) resolve(found)
          else reject(new Error('the stream ended before'))
        }
        waiting.add(look)
        look()
      }),
    pause: () => void response.socket.pause(),
    resume: () => void response.socket.resume(),
    leave: () => asked.destroy(),
  }
}

function answerOf(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.on('response', resolve)
    asked.on('error', reject)
    asked.end()
  })
}

function parse(part: string): Told {
  const fields = new Map(
    part.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  assert.ok(fields.has('data'), part)
  return {
    id: fields.get('id') ?? '',
    name: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data')!),
  }
}
