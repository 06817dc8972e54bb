/** The counters and histograms: what they mean, and the messages of the program that they count. */
import { Counter, Histogram, type Registry } from 'prom-client'
import { queryTypes, rcodes } from '../dns/message.ts'
import { type Channel, channels, type DnsMessage } from '../kernel/process/channels.ts'
import { recordTypeNames, recordTypes } from '../protocols/net/dns/rdata.ts'
import { countRequests } from './requests.ts'

/** Upper bounds in seconds. */
const diskSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const callSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900]
const groupSizes = [1, 2, 4, 8, 16, 32, 64]

const typeNames = new Map<number, string>([
  ...recordTypeNames.map((name) => [recordTypes[name].code, name] as const),
  [queryTypes.axfr, 'AXFR'],
  [queryTypes.ixfr, 'IXFR'],
  [queryTypes.any, 'ANY'],
  [46, 'RRSIG'],
  [47, 'NSEC'],
  [48, 'DNSKEY'],
])

/** The names of RFC 6895, 2.3, for the codes that are answered with. */
const rcodeNames = new Map<number, string>([
  [rcodes.noError, 'NOERROR'],
  [rcodes.formatError, 'FORMERR'],
  [rcodes.serverFailure, 'SERVFAIL'],
  [rcodes.nameError, 'NXDOMAIN'],
  [rcodes.notImplemented, 'NOTIMP'],
  [rcodes.refused, 'REFUSED'],
  [rcodes.nameTooLong, 'YXDOMAIN'],
  [rcodes.notAuthoritative, 'NOTAUTH'],
])

/**
 * Registers them all and begins to count; returns what ends that. Series whose labels are known beforehand begin with 0, so
 * that their first increase shows: `commands` are those of actions.
 */
export function count(registry: Registry, commands: readonly string[]): () => void {
  const listening = [
    ...requests(registry),
    ...actions(registry, commands),
    ...databaseWaits(registry),
    ...nameServer(registry),
    ...people(registry),
  ]
  return () => {
    for (const end of listening) end()
  }
}

function hear<Message>(channel: Channel<Message>, listener: (message: Message) => void): () => void {
  channel.subscribe(listener)
  return () => void channel.unsubscribe(listener)
}

function requests(registry: Registry): (() => void)[] {
  const throttled = new Counter({
    name: 'wolke_rate_limited_requests_total',
    help: 'Requests that were refused with 429, by the limit that was reached.',
    labelNames: ['limit'],
    registers: [registry],
  })
  for (const limit of ['project', 'people', 'caller', 'address']) throttled.inc({ limit }, 0)
  return [countRequests(registry), hear(channels.throttled, ({ limit }) => throttled.inc({ limit }))]
}

function actions(registry: Registry, commands: readonly string[]): (() => void)[] {
  const registers = [registry]
  const ended = new Counter({
    name: 'wolke_actions_ended_total',
    help: 'Actions that this process ended, by command and state.',
    labelNames: ['command', 'state'],
    registers,
  })
  for (const command of commands) for (const state of ['success', 'error']) ended.inc({ command, state }, 0)
  const others = {
    retry: new Counter({
      name: 'wolke_action_retries_total',
      help: 'Steps of actions that failed and are tried again.',
      registers,
    }),
    compensation: new Counter({
      name: 'wolke_action_compensations_total',
      help: 'Actions whose step failed for good and that are rolled back.',
      registers,
    }),
    takeover: new Counter({
      name: 'wolke_action_takeovers_total',
      help: 'Actions taken over from a worker that claimed them and never gave them back.',
      registers,
    }),
  }
  const calls = new Histogram({
    name: 'wolke_driver_call_duration_seconds',
    help: 'Calls of drivers by steps of actions, by driver and outcome.',
    labelNames: ['driver', 'outcome'],
    buckets: callSeconds,
    registers,
  })
  return [
    hear(channels.action, ({ command, event }) => {
      if (event === 'success' || event === 'error') ended.inc({ command, state: event })
      else others[event].inc()
    }),
    hear(channels.driverCall, ({ driver, outcome, seconds }) => calls.observe({ driver, outcome }, seconds)),
  ]
}

function databaseWaits(registry: Registry): (() => void)[] {
  const registers = [registry]
  const labelNames = ['outcome']
  const connection = new Histogram({
    name: 'wolke_database_connection_wait_seconds',
    help: 'Time that reads and transactions waited for a connection to PostgreSQL, by outcome.',
    ...{ labelNames, buckets: diskSeconds, registers },
  })
  const commit = new Histogram({
    name: 'wolke_database_commit_duration_seconds',
    help: 'Time of a group of transactions until its commit was durable, by outcome.',
    ...{ labelNames, buckets: diskSeconds, registers },
  })
  const size = new Histogram({
    name: 'wolke_database_group_commit_transactions',
    help: 'Transactions that shared a commit.',
    ...{ buckets: groupSizes, registers },
  })
  const sync = new Histogram({
    name: 'wolke_database_fsync_duration_seconds',
    help: 'Time that SQLite waited for the disk, by outcome.',
    ...{ labelNames, buckets: diskSeconds, registers },
  })
  for (const histogram of [commit, sync]) {
    for (const outcome of ['success', 'failure']) histogram.zero({ outcome })
  }
  return [
    hear(channels.connection, ({ outcome, seconds }) => connection.observe({ outcome }, seconds)),
    hear(channels.commit, ({ transactions, outcome, seconds }) => {
      commit.observe({ outcome }, seconds)
      size.observe(transactions)
    }),
    hear(channels.sync, ({ outcome, seconds }) => sync.observe({ outcome }, seconds)),
  ]
}

/** Counts questions in plain numbers, as requests are (requests.ts). */
function nameServer(registry: Registry): (() => void)[] {
  const registers = [registry]
  const fresh = new Map<number, number>()
  new Counter({
    name: 'wolke_dns_queries_total',
    help: 'Questions to the name server, by transport, type and answer.',
    labelNames: ['transport', 'type', 'answer'],
    registers,
    collect() {
      for (const [key, some] of fresh) this.inc(labelsOf(key), some)
      fresh.clear()
    },
  })
  const transfers = new Counter({
    name: 'wolke_dns_transfers_total',
    help: 'Zone transfers from primaries (in) and to secondary name servers (out), by outcome.',
    labelNames: ['direction', 'outcome'],
    registers,
  })
  for (const direction of ['in', 'out']) {
    for (const outcome of ['success', 'failure']) transfers.inc({ direction, outcome }, 0)
  }
  return [
    hear(channels.dnsAnswer, (message) => {
      const key = keyOf(message)
      fresh.set(key, (fresh.get(key) ?? 0) + 1)
    }),
    hear(channels.dnsTransfer, ({ direction, outcome }) => transfers.inc({ direction, outcome })),
  ]
}

/** Beside the response codes, which have four bits. */
const answers = { none: 16, truncated: 17 }

/** The type, five bits of the answer, and one of the transport. */
function keyOf({ transport, type = 0, rcode, isTruncated }: DnsMessage): number {
  const answer = isTruncated ? answers.truncated : (rcode ?? answers.none)
  return (type << 6) | (answer << 1) | (transport === 'tcp' ? 1 : 0)
}

function labelsOf(key: number) {
  const answer = (key >> 1) & 31
  const named = answer === answers.none ? 'none' : answer === answers.truncated ? 'TRUNCATED' : rcodeNames.get(answer)
  return { transport: key & 1 ? 'tcp' : 'udp', type: typeNames.get(key >> 6) ?? 'other', answer: named ?? 'other' }
}

function people(registry: Registry): (() => void)[] {
  const registers = [registry]
  const signIns = new Counter({
    name: 'wolke_sign_ins_total',
    help: 'Sign-ins to the console, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const blocked = new Counter({
    name: 'wolke_guesses_blocked_total',
    help: 'Attempts that were refused unjudged after too many wrong ones, by the secret that was guessed.',
    labelNames: ['secret'],
    registers,
  })
  const mail = new Counter({
    name: 'wolke_mail_attempts_total',
    help: 'Attempts to send mail to owners of Projects and to people, by outcome.',
    labelNames: ['to', 'outcome'],
    registers,
  })
  const entries = new Counter({
    name: 'wolke_audit_entries_total',
    help: 'Entries of the audit log that this process wrote, by family and outcome.',
    labelNames: ['family', 'outcome'],
    registers,
  })
  for (const outcome of ['success', 'failure']) signIns.inc({ outcome }, 0)
  for (const secret of ['password', 'code', 'recovery', 'proof', 'token', 'reset']) blocked.inc({ secret }, 0)
  for (const to of ['owner', 'person']) {
    for (const outcome of ['sent', 'logged', 'given_up', 'waiting']) mail.inc({ to, outcome }, 0)
  }
  return [
    hear(channels.signIn, ({ outcome }) => signIns.inc({ outcome })),
    hear(channels.blocked, ({ secret }) => blocked.inc({ secret })),
    hear(channels.mail, ({ to, outcome }) => mail.inc({ to, outcome })),
    hear(channels.auditEntry, ({ family, outcome }) => entries.inc({ family, outcome })),
  ]
}
