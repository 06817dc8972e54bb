/**
 * The channels on which the program tells what it does, for whoever counts it (src/metrics). They belong to the process. A
 * publisher makes no message unless `hasSubscribers`, so that a channel to which nobody listens costs one check.
 */
import { channel } from 'node:diagnostics_channel'

/** A channel with the type of its messages. Listeners must not throw. */
export interface Channel<Message> {
  readonly hasSubscribers: boolean
  publish(message: Message): void
  subscribe(listener: (message: Message) => void): void
  unsubscribe(listener: (message: Message) => void): boolean
}

/** Kinds of callers; `none` has no valid credentials. */
export type CallerKind = 'token' | 'management' | 'person' | 'admin' | 'none'

/** A request that was answered. */
export interface RequestMessage {
  /** Method and path with its parameters in braces; undefined for what is no endpoint. */
  readonly operation: string | undefined
  readonly status: number
  readonly caller: CallerKind
  /** Undefined for a stream of events, whose end says nothing. */
  readonly seconds: number | undefined
}

/** Something that happened to an action. */
export interface ActionMessage {
  readonly command: string
  /** `takeover` is a claim of what another worker had claimed and never gave back. */
  readonly event: 'success' | 'error' | 'retry' | 'compensation' | 'takeover'
}

/** A call of a driver by a step of an action. */
export interface DriverMessage {
  readonly driver: string
  /** A call that is `postponed` goes on and is asked for again. */
  readonly outcome: 'success' | 'transient' | 'permanent' | 'postponed' | 'bug'
  readonly seconds: number
}

/** A wait of this process. */
export interface WaitMessage {
  readonly outcome: 'success' | 'failure'
  readonly seconds: number
}

/** A commit, which several transactions may share, until it is durable. */
export interface CommitMessage extends WaitMessage {
  readonly transactions: number
}

export interface DnsMessage {
  readonly transport: 'udp' | 'tcp'
  /** The code of the type that was asked for; undefined for what is no plain question. */
  readonly type: number | undefined
  /** The response code; undefined for a question without an answer. */
  readonly rcode: number | undefined
  readonly isTruncated: boolean
}

export interface TransferMessage {
  /** `in` is from primaries, `out` to secondary name servers. */
  readonly direction: 'in' | 'out'
  readonly outcome: 'success' | 'failure'
}

export interface MailMessage {
  readonly to: 'owner' | 'person'
  readonly outcome: 'sent' | 'logged' | 'given_up' | 'waiting'
}

const open = <Message>(name: string) => channel(`wolke:${name}`) as unknown as Channel<Message>

export const channels = {
  request: open<RequestMessage>('request'),
  /** A request above a rate limit. */
  throttled: open<{ readonly limit: 'project' | 'people' | 'caller' | 'address' }>('throttled'),
  action: open<ActionMessage>('action'),
  driverCall: open<DriverMessage>('driver-call'),
  /** A wait for a connection to the database. */
  connection: open<WaitMessage>('connection'),
  commit: open<CommitMessage>('commit'),
  /** A wait for the disk. */
  sync: open<WaitMessage>('sync'),
  dnsAnswer: open<DnsMessage>('dns-answer'),
  dnsTransfer: open<TransferMessage>('dns-transfer'),
  mail: open<MailMessage>('mail'),
  signIn: open<{ readonly outcome: 'success' | 'failure' }>('sign-in'),
  /** An attempt to guess a secret that was not judged, because there were too many. */
  blocked: open<{ readonly secret: string }>('blocked'),
  auditEntry: open<{ readonly family: string; readonly outcome: 'ok' | 'refused' }>('audit-entry'),
}

/** Tells of a wait once it is over, with `more` about it. Without a listener the work is not measured. */
export function measured<T, Message extends WaitMessage>(
  told: Channel<Message>,
  work: () => Promise<T>,
  more: Omit<Message, keyof WaitMessage>,
): Promise<T> {
  if (!told.hasSubscribers) return work()
  const began = performance.now()
  const tell = (outcome: WaitMessage['outcome']) =>
    told.publish({ ...more, outcome, seconds: secondsSince(began) } as unknown as Message)
  return work().then(
    (result) => {
      tell('success')
      return result
    },
    (error: unknown) => {
      tell('failure')
      throw error
    },
  )
}

/** Tells of a commit when it is on disk; without `onDisk` it need not be, or is by now. */
export function tellOfCommit(transactions: number, began: number, onDisk: Promise<void> | undefined): void {
  if (!channels.commit.hasSubscribers) return
  const tell = (outcome: WaitMessage['outcome']) =>
    channels.commit.publish({ transactions, outcome, seconds: secondsSince(began) })
  if (onDisk) {
    onDisk.then(
      () => tell('success'),
      () => tell('failure'),
    )
  } else tell('success')
}

/** Seconds since a time of the monotonic clock. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1_000
