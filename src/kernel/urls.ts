/** Reading the target of a request. */
import { type Endpoint, isIdParam, maxText } from './contract.ts'
import { parseId } from './ids.ts'
import { isStorable } from './input.ts'

/** Whether every percent sign in it begins a character. */
export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** What comes before the query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

/** The query without its question mark. */
export function searchOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** The methods that some of the endpoints answer to at a path below the base. What answers GET answers HEAD. */
export function methodsAt(path: string, endpoints: readonly Endpoint[], base: string): string[] {
  const methods = new Set<string>()
  const segments = path.split('/')
  for (const endpoint of endpoints) {
    const pattern = (base + endpoint.path).split('/')
    if (pattern.length !== segments.length) continue
    if (
      pattern.every(
        (part, i) => part === segments[i] || (part.startsWith('{') && fits(part.slice(1, -1), segments[i]!)),
      )
    ) {
      methods.add(endpoint.method)
    }
  }
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods].sort()
}

/** Whether a text can stand for a parameter. `actions` is a path of its own wherever a resource could be named. */
function fits(name: string, text: string): boolean {
  if (isIdParam(name)) return parseId(text) !== undefined
  if (text === '' || text.length > maxText || !isStorable(text)) return false
  return name !== 'id_or_name' || text !== 'actions'
}

/** The text of the first parameter of the path that cannot be what it stands for. */
export function firstUnfit(params: Record<string, string>): string | undefined {
  for (const name in params) if (!fits(name, params[name]!)) return params[name]
  return undefined
}

/** Whether a Host header, which HTTP/1.1 demands, has the form of a host: links echo it (RFC 9112, 3.2). */
export function isHost(text: string | undefined, httpVersion: string): boolean {
  return text === undefined ? httpVersion === '1.0' : /^[\w.:[\]-]{1,255}$/.test(text)
}
