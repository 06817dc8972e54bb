/**
 * How many answers a network gets over UDP (response rate limiting as in BIND, Knot and NSD). Who asks under a name that
 * is not its own makes us send to others what they never asked for; the same answer again and again to the same network
 * is the sign of it. What is over the limit is dropped, or truncated every now and then, so that who really asks comes
 * again over TCP, where nobody can pretend to be somebody else.
 */
import { BlockList, isIPv6 } from 'node:net'
import { parseCidr } from '../net/ip.ts'

/** How many answers of the name server a network (/24, /56) gets over UDP in a second. */
export interface ResponseRates {
  /** Answers that are the same: of one name and type, or that some name of a zone does not exist, or errors. */
  readonly perAnswer: number
  /** Answers of all kinds. */
  readonly perNetwork: number
  /** Of what is over a limit, each so many-th answer is truncated, the others are dropped; 0 drops all. */
  readonly slip: number
  /** Networks without limits. */
  readonly exempt: readonly string[]
}

export const defaultResponseRates: ResponseRates = {
  perAnswer: 20,
  perNetwork: 500,
  slip: 2,
  exempt: ['127.0.0.0/8', '::1/128'],
}

/** What becomes of an answer. */
export type Ruling = 'send' | 'truncate' | 'drop'

/** For how many seconds what went over a limit counts: so long it has to be quieter before it is answered again. */
const windowSeconds = 15
/** Most accounts of a generation: when one is full, those of the one before that were not used since are forgotten. */
const mostAccounts = 50_000

/** How often at most somebody is told. */
const tellMs = 60_000

export interface LimiterOptions {
  /** Told of a network that is over a limit. */
  readonly onLimit: (network: string) => void
  /** A monotonic time in milliseconds. */
  readonly now?: () => number
}

interface Account {
  /** Answers that may be sent; below zero, what was asked for beyond. */
  balance: number
  /** When that was so, in milliseconds of the monotonic clock. */
  at: number
  /** Answers over the limit. */
  over: number
}

/** Where queries come from. */
interface Client {
  readonly network: string
  readonly isExempt: boolean
}

export class ResponseRateLimiter {
  readonly #rates: ResponseRates
  readonly #exempt = new BlockList()
  readonly #onLimit: (network: string) => void
  readonly #now: () => number
  readonly #clients = new Remembered<Client>()
  readonly #accounts = new Remembered<Account>()
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

  /** What becomes of an answer to an address; `countedAs` is what all answers have in common that are counted together. */
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

/** The network of an address whose answers are counted together: /24 for IPv4, /56 for IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  const [plain = ''] = address.split('%')
  const parsed = parseCidr(`${plain}/56`, 'drop')
  return parsed.ok ? parsed.cidr : plain
}

/** A table of bounded size: what was not used for a whole generation is forgotten. */
class Remembered<Value> {
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    return older === undefined ? undefined : this.set(key, older)
  }

  set(key: string, value: Value): Value {
    if (this.#recent.size >= mostAccounts) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
    return value
  }
}
