/** Replies that are kept by who made them and never changed, so that their JSON is written once. */

const json = Symbol('json')

interface Kept {
  [json]?: string | undefined
}

/** Lets the JSON of a reply be kept along with it; nobody may change it from now on. */
export function kept<Reply extends object>(reply: Reply): Reply {
  return Object.defineProperty(reply, json, { value: undefined, writable: true })
}

/** The JSON of a reply if it is kept and was written before. */
export function keptJson(reply: unknown): string | undefined {
  return (reply as Kept | undefined)?.[json]
}

/** Keeps the JSON of a reply, if that is one that is kept. */
export function keepJson(reply: unknown, text: string): void {
  if (typeof reply === 'object' && reply !== null && json in reply) (reply as Kept)[json] = text
}
