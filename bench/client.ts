/** A small HTTP client for preparing benchmarks. */
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { ask } from './lines.ts'
import { token } from './processes.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies have every shape, and a benchmark that expects a wrong one fails at once
export type Body = any

interface Reply {
  readonly text: string
  readonly body: Body
}

/** Sends a request and throws unless it succeeds. */
export async function call(method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown): Promise<Reply> {
  const { status, text } = await ask(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : '',
  })
  if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`)
  return { text, body: text === '' ? undefined : JSON.parse(text) }
}

/** Runs `work` for every item with a concurrency of 32. */
export async function forAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!)
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  return results
}

/** Waits until all these actions have succeeded, looking every few milliseconds. */
export async function untilSettled(url: string, ids: readonly number[], everyMs = 2): Promise<void> {
  const haveSettled = async (asked: readonly number[]) => {
    const { body } = await call('GET', `${url}${publicBase}/actions?${asked.map((id) => `id=${id}`).join('&')}`)
    const actions = body.actions as { status: string }[]
    const failed = actions.find(({ status }) => status === 'error')
    if (failed) throw new Error(`an action failed: ${JSON.stringify(failed)}`)
    return actions.every(({ status }) => status === 'success')
  }
  const left = [...ids].sort((a, b) => a - b)
  while (left.length > 0) {
    // The newest one ends last, and to ask for it alone keeps a server from little of what is measured.
    if ((await haveSettled(left.slice(-1))) && (await haveSettled(left.slice(-100)))) left.splice(-100)
    else await delay(everyMs)
  }
}

export const idsOf = (actions: readonly { readonly id: number }[]) => actions.map(({ id }) => id)

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
