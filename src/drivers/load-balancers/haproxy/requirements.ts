/** What the machine needs so that HAProxy can carry traffic, and what its limits allow. */
import { readFileSync } from 'node:fs'
import { run } from '../../commands.ts'

/** The oldest version that has everything the configuration uses, and whose master says how many reloads failed. */
const oldest = [2, 6]
/** Descriptors that HAProxy needs for itself and for its listeners. */
const spareDescriptors = 400
/** The bits in the kernel's set of capabilities that namespaces, low ports and HAProxy's change to nobody need. */
const needed = { SETGID: 6n, SETUID: 7n, NET_BIND_SERVICE: 10n, NET_ADMIN: 12n, SYS_CHROOT: 18n, SYS_ADMIN: 21n }
const sysResource = 24n

/** Checks the machine. Errors: one line for the operator that says what is missing. */
export async function checkRequirements(binary: string): Promise<void> {
  if (process.platform !== 'linux') throw new Error('Load Balancers with HAProxy need Linux')
  const lacking = Object.entries(needed).filter(([, bit]) => !has(bit))
  if (lacking.length > 0) {
    const names = lacking.map(([name]) => name).join(', ')
    throw new Error(`Load Balancers with HAProxy need root, or capabilities of which this process lacks ${names}`)
  }
  await output('ip', ['-V'])
  await output('sysctl', ['--version'])
  const description = await output(binary, ['-vv'])
  const version = /^HA-?Proxy version (\d+)\.(\d+)/m.exec(description)?.slice(1).map(Number)
  if (!version) throw new Error(`${binary} is not HAProxy`)
  const [major = 0, minor = 0] = version
  if (major < oldest[0]! || (major === oldest[0] && minor < oldest[1]!)) {
    throw new Error(`Load Balancers need HAProxy ${oldest.join('.')} or newer; ${binary} is ${version.join('.')}`)
  }
  const missing = ['OPENSSL', 'PCRE2?'].find(
    (feature) => !new RegExp(`\\+${feature}\\b|USE_${feature}=1`).test(description),
  )
  if (missing) throw new Error(`Load Balancers need HAProxy with ${missing.replace('?', '')}, which ${binary} lacks`)
}

async function output(program: string, args: readonly string[]): Promise<string> {
  try {
    return await run(program, args)
  } catch (error) {
    throw new Error(`Load Balancers with HAProxy need the program ${program}, which cannot be run`, { cause: error })
  }
}

function has(capability: bigint): boolean {
  const [, set = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return ((BigInt(`0x${set}`) >> capability) & 1n) === 1n
}

/** How many connections a balancer can have, by the limit of open files that HAProxy can reach. */
export function mostConnections(): number {
  const [, hard = '0'] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  const ceiling = Number(readFileSync('/proc/sys/fs/nr_open', 'utf8'))
  const limit = has(sysResource) || hard === 'unlimited' ? ceiling : Number(hard)
  return Math.floor((limit - spareDescriptors) / 2)
}
