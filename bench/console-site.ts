/** A server with its console, for a browser to look at. */
import { wolkeBase } from '../src/kernel/contract/bases.ts'
import { pools } from './fill-servers.ts'
import { type Running, token, type Workshop } from './processes.ts'

/** A server with its console, and a way to sign in. */
export interface Site {
  readonly server: Running
  /** The console's address under a name for which browsers keep secure cookies. */
  readonly origin: string
  /** The id of Project default. */
  readonly project: number
  /** Signs in; returns the cookie of a new session. */
  signIn(): Promise<{ readonly name: string; readonly value: string }>
}

export async function openSite(workshop: Workshop, path: string): Promise<Site> {
  // An action takes a while, so that its progress is seen.
  const server = await workshop.serve(`sqlite:${path}`, { more: [...pools, '--action-delay', '1500'] })
  const origin = server.url.replace('127.0.0.1', 'localhost')
  const known = await fetch(`${server.url}${wolkeBase}/whoami`, { headers: { authorization: `Bearer ${token}` } })
  const { whoami } = (await known.json()) as { whoami: { project: { id: number } } }
  return { server, origin, project: whoami.project.id, signIn: () => signIn(origin) }
}

async function signIn(origin: string) {
  const response = await fetch(`${origin}/console/login/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  })
  const [cookie = ''] = response.headers.getSetCookie().filter((one) => !/Max-Age=0/i.test(one))
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(cookie) ?? []
  if (name === undefined || value === undefined) throw new Error(`signing in was answered with ${response.status}`)
  return { name, value }
}
