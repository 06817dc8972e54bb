/** What managed certificates need from outside: a certificate authority, and a view of DNS as others see it. */

/** A TXT record by which the authority recognizes who controls a domain (RFC 8555, 8.4). */
export interface AuthorityChallenge {
  /** The domain without `*.`; the record is at `_acme-challenge.` below it. */
  readonly domain: string
  readonly value: string
}

/** A request for a certificate. */
export interface OrderRequest {
  readonly certificateId: number
  readonly domains: readonly string[]
  /** The chain that the new certificate replaces. */
  readonly replaces: string | null
}

/** An order as the authority keeps it. */
export interface AuthorityOrder extends Omit<OrderRequest, 'replaces'> {
  /** Identifies the order at the authority. */
  readonly url: string
}

/** When an authority wants a certificate to be renewed, and how long to wait before asking again, in milliseconds. */
export interface RenewalHint {
  readonly start: number
  readonly end: number
  /** Undefined when the authority does not say. */
  readonly askAgainAfterMs: number | undefined
}

/** Every call may be repeated: it brings about what it says, or finds that this was done already. */
export interface AuthorityDriver {
  /** The names by which CAA records mean this authority; empty when the authority does not tell. */
  caaIdentities(): Promise<readonly string[]>
  /** Opens an order. Its challenges have to be in DNS before `validate`. */
  order(request: OrderRequest): Promise<{ readonly url: string; readonly challenges: readonly AuthorityChallenge[] }>
  /** Resolves when the authority is satisfied that the domains are ours. */
  validate(order: AuthorityOrder): Promise<void>
  /** The chain in PEM for a request in DER (PKCS #10), leaf first. A repeated request gives a chain for the same key. */
  issue(order: AuthorityOrder, request: Buffer): Promise<string>
  /** Present when the authority says when it wants to renew (RFC 9773). */
  renewalHint?(chain: string): Promise<RenewalHint | undefined>
  /** The root in PEM, when clients have to install it because no public root store has it. */
  root?(): Promise<string>
}

export interface DelegationDriver {
  /** Whether public DNS delegates this zone to our name servers. */
  isDelegated(zone: string): Promise<boolean>
  /** Resolves when our public name servers answer with the record, or after a while. */
  awaitChallenge(zone: string, challenge: AuthorityChallenge): Promise<void>
}

declare module '../../../kernel/actions/define.ts' {
  interface Drivers {
    authority: AuthorityDriver
    delegation: DelegationDriver
  }
}
