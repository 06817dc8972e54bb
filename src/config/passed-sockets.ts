/**
 * Sockets that a service manager has bound and passes to this process, as systemd does (sd_listen_fds(3)). They stay open
 * while the process is started again, so that connections wait for it instead of being refused.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { endianness } from 'node:os'
import { InvalidArgumentError } from 'commander'
import { textOfAddress } from '../protocols/net/address-bytes.ts'
import type { BoundSocket, ListenAddress } from '../protocols/net/listen-address.ts'

/** The first passed file descriptor. */
const firstFd = 3

/** The listeners that a socket can be passed for, by the name of its file descriptor: their options, and what each needs. */
const listeners = {
  api: { option: 'listen', needs: ['stream'] },
  metadata: { option: 'metadataListen', needs: ['stream'] },
  dns: { option: 'dnsListen', needs: ['stream', 'datagram'] },
} as const
type Name = keyof typeof listeners
type SocketKind = keyof BoundSocket

/** The options of `wolke serve` that passed sockets stand for. */
export type PassedSockets = Readonly<Partial<Record<(typeof listeners)[Name]['option'], ListenAddress>>>

/**
 * Returns the sockets that were passed to the process `pid`; none when they were meant for another one.
 * Errors: `InvalidArgumentError` for a name that no listener has, a second socket of a kind, a kind that the listener cannot
 * use, and one that is missing.
 */
export function passedSockets(env: NodeJS.ProcessEnv, pid: number): PassedSockets {
  const { LISTEN_PID: meant, LISTEN_FDS: count = '0', LISTEN_FDNAMES: names = '' } = env
  if (meant !== String(pid)) return {}
  if (!/^\d{1,4}$/.test(count)) throw new InvalidArgumentError(`LISTEN_FDS is no number: ${count}`)
  const sockets = Array.from({ length: Number(count) }, (_, index) => {
    const fd = firstFd + index
    return { name: listenerOf(names.split(':')[index]), fd, ...socketAt(fd) }
  })
  const given = Object.entries(Object.groupBy(sockets, ({ name }) => name)) as [Name, Socket[]][]
  return Object.fromEntries(given.map(([name, ofOne]) => [listeners[name].option, addressOf(name, ofOne)]))
}

interface Socket extends Partial<Where> {
  readonly fd: number
}

/** Puts the sockets of a listener together. */
function addressOf(name: Name, sockets: readonly Socket[]): ListenAddress {
  const { needs } = listeners[name]
  const bound = Object.fromEntries(sockets.map(({ kind, fd }) => [kind, fd]))
  if (sockets.length !== needs.length || needs.some((kind) => bound[kind] === undefined)) {
    const needed = needs.map((kind) => `one socket of ${protocols[kind]}`).join(' and ')
    throw new InvalidArgumentError(`the listener ${name} needs ${needed}, and no other`)
  }
  const { host = '', port = 0 } = sockets[0]!
  return { host, port, bound: bound as unknown as BoundSocket }
}

function listenerOf(name: string | undefined): Name {
  if (name !== undefined && Object.hasOwn(listeners, name)) return name as Name
  const known = Object.keys(listeners).join(', ')
  throw new InvalidArgumentError(`a socket is named ${name || 'nothing'}; FileDescriptorName= is one of ${known}`)
}

const protocols = { stream: 'TCP', datagram: 'UDP' }

/** Sockets by what the tables of the kernel are called. */
const tables = { tcp: 'stream', tcp6: 'stream', udp: 'datagram', udp6: 'datagram' } as const

/** A socket of one kind, and where it is bound. */
interface Where {
  readonly kind: SocketKind
  readonly host: string
  readonly port: number
}

/** Finds out what a socket is and where it is bound, which Node.js does not tell of file descriptors. */
function socketAt(fd: number): Where | undefined {
  const inode = /^socket:\[(\d+)\]$/.exec(linkOf(fd))?.[1]
  if (inode === undefined) return undefined
  for (const [table, kind] of Object.entries(tables)) {
    const row = rowsOf(table).find((fields) => fields[9] === inode)
    if (row) return { kind, ...boundTo(row[1]!) }
  }
  return undefined
}

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    throw new InvalidArgumentError(`LISTEN_FDS counts the file descriptor ${fd}, which is not open`)
  }
}

/** The fields of all sockets in a table; a machine without IPv6 lacks its tables. */
function rowsOf(table: string): readonly string[][] {
  try {
    const rows = readFileSync(`/proc/self/net/${table}`, 'latin1').trim().split('\n').slice(1)
    return rows.map((row) => row.trim().split(/\s+/))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Reads an address as the kernel shows it: numbers of four bytes in its own order, and the port. */
function boundTo(text: string): Pick<Where, 'host' | 'port'> {
  const [address = '', port = ''] = text.split(':')
  const bytes = Buffer.from(address, 'hex')
  if (endianness() === 'LE') bytes.swap32()
  return { host: textOfAddress(bytes), port: Number.parseInt(port, 16) }
}
