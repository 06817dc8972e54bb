/** Finds the processes of a data plane by what they do: they listen on the address of a balancer. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The processes that listen on an IPv4 address, in whatever network namespace they are. */
export function listenersOn(address: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) =>
    // A process that has ended meanwhile is none of them, nor is one of another user.
    unlessGone(() => {
      const sockets = new Set(listeningSockets(pid, address))
      return sockets.size > 0 && openFiles(pid).some((file) => file !== undefined && sockets.has(file))
    }),
  )
}

/** Undefined if what is read of a process is not there, or not for this user. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** Those in the network of a process that listen on the address, as the system names them. */
function listeningSockets(pid: number, address: string): string[] {
  const bytes = Buffer.from(address.split('.').map(Number)).reverse()
  const local = `${bytes.toString('hex').toUpperCase()}:`
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, at = '', , state]) => at.startsWith(local) && state === '0A')
    .map((fields) => `socket:[${fields[9]}]`)
}

/** What a process has open. It goes on meanwhile, and may close a descriptor that was listed. */
const openFiles = (pid: number) =>
  readdirSync(`/proc/${pid}/fd`).map((descriptor) => unlessGone(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`)))
