/** Secrets in what is kept of requests: they never leave it. */

/** Stands for a secret that was there. */
export const masked = '(masked)'

const privateKeys =
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-{4,5}|$)/gi

/**
 * Tokens made here have a prefix; others are words of 64 characters. The lines of a certificate have as many, which is
 * why blocks that are open to everybody come first and stay.
 */
const tokens = new RegExp(
  [
    /(?<open>-----BEGIN [A-Z0-9 ]{1,40}-----[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]{1,40}-----)/,
    /wl[km]_\w+/,
    // What a sign of equality comes before is a value.
    /(?<![\w+/.~-])[\w+/~-][\w+/=~-]{63}(?![\w+/=.~-])/,
    // Names with dots, which DNS has, may be that long.
    /(?<![^\s"'`])[!#-&(-\-/-_a-~]{64}(?![^\s"'`])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const withoutKeys = (text: string) => text.replace(privateKeys, masked)

/** A text without private keys and tokens. */
export function withoutTokens(text: string): string {
  return withoutKeys(text).replace(tokens, (...found) => (found.at(-1) as { open?: string }).open ?? masked)
}

/** Tells whether a recorded value lacks a secret. */
export function isMasked(value: unknown): value is string {
  return typeof value === 'string' && value.includes(masked)
}

/** Names that say by themselves that a secret follows. */
const telling = /(password|passwd|passphrase|token|secret|privatekey|apikey|authorization)$/

/** Clients spell the name of a field in more ways than one, such as `x-auth-token` or `auth[token]`. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The names under which values are secret, however they are spelt. */
export class SecretNames {
  readonly #names: ReadonlySet<string>

  /** `names` are secret besides those that say so by themselves. */
  constructor(names: Iterable<string> = []) {
    this.#names = new Set([...names].map(plain))
  }

  has(name: string): boolean {
    const bare = plain(name)
    return this.#names.has(bare) || telling.test(bare)
  }
}

/** A copy of a body without secrets. Nothing says what a text without a name is, so that it counts as one. */
export function withoutSecrets(body: unknown, secret: SecretNames): unknown {
  if (typeof body === 'string') return masked
  return Array.isArray(body) ? body.map((one) => withoutSecrets(one, secret)) : fieldsWithout(body, secret)
}

function fieldsWithout(value: unknown, secret: SecretNames): unknown {
  if (typeof value === 'string') return withoutTokens(value)
  if (Array.isArray(value)) return value.map((one) => fieldsWithout(one, secret))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isHidden = secret.has(name) && inner !== null
    return [withoutTokens(name), isHidden ? masked : fieldsWithout(inner, secret)] as const
  })
  return Object.fromEntries(entries)
}

/** The parameters of a query without secrets, each also as it stands in the URL. */
export function queryWithout(search: string, secret: SecretNames) {
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [[name, value] = ['', '']] = new URLSearchParams(pair)
      const shown = { name: withoutTokens(name), value: secret.has(name) ? masked : withoutTokens(value) }
      const isSame = shown.name === name && shown.value === value
      return { ...shown, text: isSame ? pair : `${encodeURIComponent(shown.name)}=${encodeURIComponent(shown.value)}` }
    })
}

/** The path of a URL without secrets: what has none stays as it was written. */
export function pathWithout(path: string): string {
  const clear = decoded(path)
  const shown = withoutKeys(clear).split('/').map(withoutTokens).join('/')
  return shown === clear ? path : encodeURI(shown)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A name that somebody made up, or `(masked)` for what is no usual name or may be a secret. */
export function madeUpName(name: string): string {
  return /^[\w.[\]-]{1,64}$/.test(name) ? withoutTokens(name) : masked
}
