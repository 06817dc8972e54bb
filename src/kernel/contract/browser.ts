/** The browser behind a request that came with a session. */
export interface Browser {
  /** Its origin, such as `https://cloud.example.com`. */
  readonly origin: string
  /** Its network, as limits know it. */
  readonly network: string
  readonly agent: string
  /** Its cookies, as it sent them. */
  readonly cookies: string | undefined
  /** Sends a `Set-Cookie` header along with the reply. */
  setCookie(cookie: string): void
}
