/** Secrets that were not recorded, for requests that need some. */
import { randomBytes } from 'node:crypto'
import { isMasked } from '../masks.ts'

/** Secrets of one's own choice do as well as those that were sent. */
const makers: Readonly<Record<string, () => string>> = {
  user_data: () => '#cloud-config\n',
  tsig_key: () => randomBytes(32).toString('base64'),
}

/** A body with new secrets; `missing` is the field of one that cannot be made up. */
export function withSecrets(body: unknown): { readonly body: unknown; readonly missing?: string } {
  let missing: string | undefined
  const visit = (value: unknown, name: string): unknown => {
    if (isMasked(value)) {
      const make = Object.hasOwn(makers, name) ? makers[name] : undefined
      if (!make) missing ??= name
      return make?.()
    }
    if (Array.isArray(value)) return value.map((one) => visit(one, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner, key)]))
  }
  const made = visit(body, 'body')
  return missing === undefined ? { body: made } : { body: made, missing }
}
