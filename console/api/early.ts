/** Sends the first calls of a page before its program is loaded. */
import { publicBase, wolkeBase } from '../../src/kernel/contract/bases.ts'

const replies = new Map<string, Promise<Response>>()
/** Later a reply may tell of what is no longer so. */
const freshMs = 5_000
/** A reply that is not there by then does not come. */
const lateMs = 15_000

/** Asks who is signed in, for the Projects, and for the list that most people open first. */
export function askEarly(): void {
  const servers = /\/projects\/(\d+)\/servers\/?$/.exec(window.location.pathname)
  ask(`/console/api${wolkeBase}/whoami`)
  ask(`/console/api${wolkeBase}/projects?page=1&per_page=1000`)
  if (servers) ask(`/console/api/projects/${servers[1]}${publicBase}/servers?sort=name&per_page=50`)
  setTimeout(() => replies.clear(), freshMs)
}

function ask(url: string): void {
  const reply = fetch(url, { redirect: 'error', signal: AbortSignal.timeout(lateMs) })
  // Whoever takes the reply is told of its failure.
  reply.catch(() => undefined)
  replies.set(url, reply)
}

/** The reply of an early question, once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const reply = replies.get(url)
  replies.delete(url)
  return reply
}
