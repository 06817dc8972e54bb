/** What managed certificates need from outside: a certificate authority, and somebody who looks at DNS as others see it. */

/** A TXT record by which the authority recognizes who controls a domain (RFC 8555, 8.4). */
export interface AuthorityChallenge {
  /** The domain without `*.`; the record is at `_acme-challenge.` below it. */
  readonly domain: string
  readonly value: string
}

/** What a certificate is wanted for. */
export interface OrderRequest {
  readonly certificateId: number
  readonly domains: readonly string[]
  /** The chain that the new one takes the place of. */
  readonly replaces: string | null
}

/** An order as the authority keeps it. */
export interface AuthorityOrder extends Omit<OrderRequest, 'replaces'> {
  /** By which the authority finds it again. */
  readonly url: string
}

/** When an authority would like a certificate to be renewed, in milliseconds, and when it may be asked again, if it says. */
export interface RenewalHint {
  readonly start: number
  readonly end: number
  readonly askAgainAfterMs: number | undefined
}

/** Calls may be repeated: each brings about what it says, or finds that it is so already. */
export interface AuthorityDriver {
  /** The names by which CAA records mean this authority; none when it does not tell. */
  caaIdentities(): Promise<readonly string[]>
  /** Opens an order. What it is challenged with has to be in DNS before `validate`. */
  order(request: OrderRequest): Promise<{ readonly url: string; readonly challenges: readonly AuthorityChallenge[] }>
  /** Resolves when the authority is satisfied that the domains are ours. */
  validate(order: AuthorityOrder): Promise<void>
  /** The chain in PEM for a request in DER (PKCS #10), leaf first. The same request again gives a chain for the same key. */
  issue(order: AuthorityOrder, request: Buffer): Promise<string>
  /** Present when the authority says when it wants to renew (RFC 9773). */
  renewalHint?(chain: string): Promise<RenewalHint | undefined>
  /** The root in PEM, when it is one that nobody else knows. */
  root?(): Promise<string>
}

export interface DelegationDriver {
  /** Whether the DNS outside leads those who ask for names of this zone to our name servers. */
  isDelegated(zone: string): Promise<boolean>
  /** Resolves when those of our name servers that the world finds answer with the record, or after a while. */
  awaitChallenge(zone: string, challenge: AuthorityChallenge): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    authority: AuthorityDriver
    delegation: DelegationDriver
  }
}
