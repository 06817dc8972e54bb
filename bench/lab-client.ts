/** Asks the APIs of a lab. */
export type Ask = (method: string, path: string, body?: object) => Promise<never>

/** Asks at a base with a token. Errors: one that says what was answered instead of a success. */
export function asker(base: string, bearer: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as never
  }
}

/** How long something takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
