/** A machine may lack what confines programs, or the programs themselves. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Programs of the system are here; nothing of the environment decides. */
const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']
export const systemPath = folders.join(':')

const tools = ['sh', 'unshare', 'nsenter', 'setpriv', 'prlimit', 'mount', 'umount', 'pivot_root']

const servers = [
  ...['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server', '/usr/lib/ssh/sftp-server'],
  '/usr/libexec/sftp-server',
]

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of a program of the system; undefined when it is not installed. */
export function programAt(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** The path of OpenSSH's file server; undefined when it is not installed. */
export function fileServer(): string | undefined {
  return servers.find(isProgram)
}

/** Why programs are not confined here whatever is installed, as one line for the operator; undefined where they can be. */
function whyUnconfined(): string | undefined {
  if (process.platform !== 'linux') return 'the doors of Storage Boxes need the namespaces of Linux'
  if (process.getuid!() !== 0)
    return 'the doors of Storage Boxes need root, which confines the programs that serve files'
  return undefined
}

/** Why it makes no sense here to open doors without confining programs; undefined where it does. */
export function whyNotUnconfined(): string | undefined {
  if (whyUnconfined() === undefined) return 'programs can be confined on this machine, and are'
  return process.getuid?.() === 0 ? 'whoever comes in would be root; start the server as another user' : undefined
}

/**
 * Why the doors cannot be opened here, as one line for the operator; undefined when they can. `isUnconfined` says that they
 * are opened where programs cannot be confined.
 */
export function whyImpossible(isUnconfined = false): string | undefined {
  const reason = whyUnconfined()
  if (reason !== undefined && !isUnconfined) return `${reason} (or --storage-doors-unconfined)`
  const missing = tools.filter((tool) => reason === undefined && programAt(tool) === undefined)
  if (missing.length > 0) return `the doors of Storage Boxes need ${missing.join(', ')} of util-linux`
  if (fileServer() === undefined) return 'the doors of Storage Boxes need sftp-server of OpenSSH (openssh-sftp-server)'
  return undefined
}
