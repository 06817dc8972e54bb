/** Asks the lab of a cloud, as everybody else does. */
import { WolkeError } from './error.ts'
import type { Wolke } from './wolke.ts'

interface Question {
  readonly body?: unknown
  /** The media type of the answer; JSON by default. */
  readonly accept?: string
}

/** Returns the text of the answer. Errors: `WolkeError`. */
export async function askLab(
  { fetch, wolkeUrl, labToken }: Pick<Wolke, 'fetch' | 'wolkeUrl' | 'labToken'>,
  method: string,
  path: string,
  { body, accept = 'application/json' }: Question = {},
): Promise<string> {
  const headers = { authorization: `Bearer ${labToken}`, 'content-type': 'application/json', accept }
  const given = body === undefined ? {} : { body: JSON.stringify(body) }
  const reply = await fetch(wolkeUrl + path, { method, headers, ...given })
  const text = await reply.text()
  if (!reply.ok) throw new WolkeError(JSON.parse(text).error, reply.status)
  return text
}
