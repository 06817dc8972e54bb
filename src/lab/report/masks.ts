/** Secrets in what is kept of requests: they never leave it. */

/** Stands for a secret that was there. */
export const masked = '(masked)'

const secretHeaders = /^(authorization|proxy-authorization|cookie|set-cookie)$/i

export function maskedHeader(name: string, value: string): string {
  return secretHeaders.test(name) ? masked : value
}

/** A copy without the values of secret fields, at whatever place they are. */
export function withoutSecrets(value: unknown, secret: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, secret))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isHidden = secret.has(name) && inner !== null
    return [name, isHidden ? masked : withoutSecrets(inner, secret)] as const
  })
  return Object.fromEntries(entries)
}
