/** Whole servers with doors, and what tests ask of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Program, type Served, token } from '../../program/kit/program.ts'
import { DoorsFixture, password } from './doors.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
export type Json = any

/** Starts a server with both doors; what a later one of the same name says is in the same ready file. */
export async function start({ folder, serve }: Program, name: string, database: string, ...options: string[]) {
  const readyFile = join(folder, `at-${name}`)
  const doors = ['--storage-ssh', '127.0.0.1:0', '--storage-webdav', '127.0.0.1:0', '--ready-file', readyFile]
  const served = await serve(database, ...doors, ...options)
  const { storage_ssh: ssh, storage_webdav: webdav } = JSON.parse(readFileSync(readyFile, 'utf8'))
  return { served, sshPort: Number(ssh.split(':')[1]), webdav: `http://${webdav}` }
}

/** Sends a request; bytes as they are, all else as JSON. */
export async function send(served: Served, method: string, path: string, body?: unknown, headers: object = {}) {
  const root = path.startsWith('/wolke') ? served.baseUrl.replace(/\/v1$/, '') : served.baseUrl
  const isBytes = body instanceof Uint8Array
  return fetch(root + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  })
}

export async function ask(served: Served, method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await send(served, method, path, body)
  const text = await reply.text()
  assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Sends a request that starts an action, and waits for its end. */
export async function act(served: Served, method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await ask(served, method, path, body)
  for (;;) {
    const { action } = await ask(served, 'GET', `/actions/${reply.action.id}`)
    if (action.status === 'running') await delay(20)
    else {
      assert.equal(action.status, 'success', JSON.stringify(action.error))
      return reply
    }
  }
}

export const open = { ssh_enabled: true, webdav_enabled: true, reachable_externally: true }

/** Makes a box; returns who comes in. */
export async function makeBox(served: Served, given: object): Promise<{ id: number; username: string }> {
  const { storage_box: box } = await act(served, 'POST', '/storage_boxes', given)
  const { storage_box: made } = await ask(served, 'GET', `/storage_boxes/${box.id}`)
  return { id: made.id, username: made.username }
}

export async function clients(t: TestContext): Promise<DoorsFixture> {
  const fixture = new DoorsFixture()
  t.after(() => fixture.close())
  await fixture.makeKey()
  return fixture
}

/** As a person types it who has no key. */
export function sftpByPassword(fixture: DoorsFixture, username: string, batch: string, typed = password) {
  const args = ['-P', `${fixture.sshPort}`, ...fixture.options(false), `${username}@127.0.0.1`]
  return fixture.run('sshpass', ['-p', typed, 'sftp', ...args], batch)
}

/** Resolves when something has come about. */
export async function until(is: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await is()); await delay(100)) {
    assert.ok(Date.now() < end, 'it does not come about')
  }
}
