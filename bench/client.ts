/** A small HTTP client for preparing benchmarks. */
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { token } from './processes.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies have every shape, and a benchmark that expects a wrong one fails at once
export type Body = any

interface Reply {
  readonly text: string
  readonly body: Body
}

/** Sends a request and throws unless it succeeds. */
export async function call(method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return { text, body: JSON.parse(text) }
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

/** Waits until all these actions have succeeded; checks the newest first, because they end last, every few milliseconds. */
export async function untilSettled(url: string, ids: readonly number[], everyMs = 2): Promise<void> {
  const left = [...ids].sort((a, b) => a - b)
  while (left.length > 0) {
    const asked = left.slice(-100)
    const { body } = await call('GET', `${url}${publicBase}/actions?${asked.map((id) => `id=${id}`).join('&')}`)
    const actions = body.actions as { status: string }[]
    const failed = actions.find(({ status }) => status === 'error')
    if (failed) throw new Error(`an action failed: ${JSON.stringify(failed)}`)
    if (actions.every(({ status }) => status === 'success')) left.splice(-100)
    else await delay(everyMs)
  }
}

export const idsOf = (actions: readonly { readonly id: number }[]) => actions.map(({ id }) => id)

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
