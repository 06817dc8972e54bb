/** Takes secrets out of a request before it is shown: what is on a screen is copied, shared and photographed. */
import type { Asked } from './request.ts'

/** The names of fields that hold secrets, wherever they are in a body. */
const secrets = new Set(['code', 'password', 'private_key', 'root_password', 'secret', 'ticket', 'tsig_key'])

/** Replaces each secret by the name of its field, such as `<private_key>`. What is empty stays so. */
export function masked(asked: Asked): Asked {
  return asked.body === undefined ? asked : { ...asked, body: without(asked.body) }
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      secrets.has(key) && typeof part === 'string' && part !== '' ? `<${key}>` : without(part),
    ]),
  )
}
