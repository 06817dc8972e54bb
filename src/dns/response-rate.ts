/**
 * Response rate limiting over UDP, as in BIND, Knot and NSD. A client that spoofs its source address makes us send
 * answers to a victim; many identical answers to the same network are the sign of it. Answers over the limit are
 * dropped, and some of them truncated instead, so that a genuine client retries over TCP, where addresses cannot be
 * spoofed.
 */
import { BlockList, isIPv6 } from 'node:net'
import { parseCidr } from '../protocols/net/ip.ts'
import { Remembered } from './remembered.ts'

/** Limits of UDP answers per second to one network (/24 for IPv4, /56 for IPv6). */
export interface ResponseRates {
  /** Limit of equal answers: the same name and type, NXDOMAIN in the same zone, or errors. */
  readonly perAnswer: number
  /** Limit of all answers together. */
  readonly perNetwork: number
  /** Every `slip`-th answer over a limit is truncated and the others are dropped; 0 drops all of them. */
  readonly slip: number
  /** Networks without limits, in CIDR notation. */
  readonly exempt: readonly string[]
}

export const defaultResponseRates: ResponseRates = {
  perAnswer: 20,
  perNetwork: 500,
  slip: 2,
  exempt: ['127.0.0.0/8', '::1/128'],
}

export type Ruling = 'send' | 'truncate' | 'drop'

/** The maximum debt of a token bucket, in seconds of its refill: how long a network must be quiet after a flood. */
const windowSeconds = 15
/** The size of a generation of buckets. */
const mostAccounts = 50_000

/** The minimum time between two reports to `onLimit`, in milliseconds. */
const tellMs = 60_000

export interface LimiterOptions {
  /** Called with a network that is over a limit, at most once a minute. */
  readonly onLimit: (network: string) => void
  /** Returns monotonic time in milliseconds; `performance.now` by default. */
  readonly now?: () => number
}

interface Account {
  /** Tokens in the bucket; negative while the network is over the limit. */
  balance: number
  /** The time of the latest computation of the balance, in milliseconds of the monotonic clock. */
  at: number
  /** The number of answers over the limit so far. */
  over: number
}

/** A client address, resolved to its network. */
interface Client {
  readonly network: string
  readonly isExempt: boolean
}

export class ResponseRateLimiter {
  readonly #rates: ResponseRates
  readonly #exempt = new BlockList()
  readonly #onLimit: (network: string) => void
  readonly #now: () => number
  readonly #clients = new Remembered<string, Client>(mostAccounts)
  readonly #accounts = new Remembered<string, Account>(mostAccounts)
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(rates: ResponseRates, { onLimit, now = () => performance.now() }: LimiterOptions) {
    this.#rates = rates
    this.#onLimit = onLimit
    this.#now = now
    for (const cidr of rates.exempt) {
      const [address = '', length = ''] = cidr.split('/')
      this.#exempt.addSubnet(address, Number(length), familyOf(address))
    }
  }

  /** Decides about an answer to an address. Answers with the same `countedAs` to one network share a limit. */
  judge(address: string, countedAs: string): Ruling {
    const { network, isExempt } = this.#clientOf(address)
    if (isExempt) return 'send'
    const now = this.#now()
    const all = this.#charge(network, this.#rates.perNetwork, now)
    const one = this.#charge(`${network} ${countedAs}`, this.#rates.perAnswer, now)
    if (all.balance >= 0 && one.balance >= 0) return 'send'
    this.#tell(network, now)
    const { slip } = this.#rates
    return slip > 0 && ++one.over % slip === 0 ? 'truncate' : 'drop'
  }

  #tell(network: string, now: number): void {
    if (now - this.#toldAt < tellMs) return
    this.#toldAt = now
    this.#onLimit(network)
  }

  #charge(key: string, perSecond: number, now: number): Account {
    const account = this.#accounts.get(key) ?? this.#accounts.set(key, { balance: perSecond, at: now, over: 0 })
    const earned = ((now - account.at) / 1_000) * perSecond
    account.balance = Math.max(Math.min(account.balance + earned, perSecond) - 1, -windowSeconds * perSecond)
    account.at = now
    return account
  }

  #clientOf(address: string): Client {
    return (
      this.#clients.get(address) ??
      this.#clients.set(address, {
        network: networkOf(address),
        isExempt: this.#exempt.check(address, familyOf(address)),
      })
    )
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** The network that shares the limits of an address: /24 for IPv4, /56 for IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  const [plain = ''] = address.split('%')
  const parsed = parseCidr(`${plain}/56`, 'drop')
  return parsed.ok ? parsed.cidr : plain
}
