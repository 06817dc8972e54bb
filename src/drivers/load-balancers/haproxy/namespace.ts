/**
 * The network namespace of one balancer. Inside, `public` leads to the machine, which routes the public addresses to it;
 * `private` holds the address in a private network. The other end of `private` waits on the machine, down, until the
 * infrastructure connects it to that network and sets it up: until then the private network is out of reach.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../../kernel/actions/define.ts'
import { run, signal } from '../../commands.ts'

/** Names of interfaces have at most 15 characters. */
export interface NamespaceNames {
  readonly namespace: string
  /** The machine's end of `public`. */
  readonly publicEnd: string
  /** The machine's end of `private`. */
  readonly privateEnd: string
}

export interface Addresses {
  readonly publicAddresses: readonly string[]
  readonly privateAddress: string | null
}

/** The machine as a balancer sees it; the addresses are the same in all namespaces. */
const gateway4 = '169.254.1.1'
const gateway6 = 'fe80::1'
const ownLink6 = 'fe80::2'
/** Traffic from the private address goes by this table, which knows nothing but the private network. */
const privateTable = 100
/** How long processes may take to end after they were killed, which on a busy machine is long. */
const endMs = 20_000

/** The names of a balancer, which depend on nothing but the installation's random name and the balancer's id. */
export function namesOf(installation: string, id: number): NamespaceNames {
  const short = installation.slice(0, 6)
  const key = `${short}${id.toString(36)}`
  return { namespace: `wolke-${short}-${id}`, publicEnd: `lb${key}`, privateEnd: `lp${key}` }
}

const isThere = ({ namespace }: NamespaceNames) => existsSync(`/run/netns/${namespace}`)
const hasLink = (name: string) => readFileSync('/proc/net/dev', 'utf8').includes(`${name}:`)

/** Creates the namespace, if needed, and adds what is missing of its addresses and routes; nothing is taken away. */
export async function openNamespace(names: NamespaceNames, addresses: Addresses): Promise<void> {
  const { namespace, publicEnd, privateEnd } = names
  if (!isThere(names) || !hasLink(publicEnd)) await create(names)
  if (addresses.privateAddress && !hasLink(privateEnd)) await connect(privateEnd, 'private', namespace)
  await run('ip', ['-n', namespace, '-batch', '-'], lines(insideCommands(addresses)))
  await run('ip', ['-batch', '-'], lines(outsideCommands(publicEnd, addresses)))
  // Answers of targets come in by other interfaces, whose forwarding is the operator's choice.
  writeFileSync(`/proc/sys/net/ipv4/conf/${publicEnd}/forwarding`, '1')
  if (addresses.privateAddress) await routePrivately(namespace, addresses.privateAddress)
}

const lines = (commands: readonly string[]) => commands.map((command) => `${command}\n`).join('')

/**
 * Begins anew when a crash has left something unfinished; the link comes last. A balancer carries nothing from one network
 * to another but by HAProxy, and believes no routers.
 */
async function create(names: NamespaceNames): Promise<void> {
  const { namespace, publicEnd } = names
  await removeNamespace(names)
  await run('ip', ['netns', 'add', namespace])
  const settings = ['net.ipv4.ip_forward=0', 'net.ipv6.conf.all.forwarding=0', 'net.ipv6.conf.default.accept_ra=0']
  await run('ip', ['netns', 'exec', namespace, 'sysctl', '-q', '-w', ...settings])
  await connect(publicEnd, 'public', namespace)
}

async function connect(end: string, inside: string, namespace: string): Promise<void> {
  await run('ip', ['link', 'add', end, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace])
}

function insideCommands({ publicAddresses, privateAddress }: Addresses): string[] {
  const commands = ['link set lo up', 'link set public up']
  const source6 = publicAddresses.find(isIPv6)
  const source4 = publicAddresses.find((address) => !isIPv6(address))
  if (source6) commands.push(`address replace ${ownLink6}/64 dev public nodad`)
  for (const address of publicAddresses) commands.push(`address replace ${host(address)} dev public${nodad(address)}`)
  if (source4) commands.push(`route replace default via ${gateway4} dev public onlink src ${source4}`)
  if (source6) commands.push(`route replace default via ${gateway6} dev public src ${source6}`)
  if (privateAddress) {
    commands.push('link set private up', `address replace ${host(privateAddress)} dev private${nodad(privateAddress)}`)
  }
  return commands
}

function outsideCommands(publicEnd: string, { publicAddresses }: Addresses): string[] {
  const commands = [`link set ${publicEnd} up`]
  if (publicAddresses.some((address) => !isIPv6(address))) {
    commands.push(`address replace ${gateway4}/32 dev ${publicEnd}`)
  }
  if (publicAddresses.some(isIPv6)) commands.push(`address replace ${gateway6}/64 dev ${publicEnd} nodad`)
  return [...commands, ...publicAddresses.map((address) => `route replace ${host(address)} dev ${publicEnd}`)]
}

const host = (address: string) => `${address}/${isIPv6(address) ? 128 : 32}`

/** The addresses are nobody else's, so nothing has to wait until that is found out. */
const nodad = (address: string) => (isIPv6(address) ? ' nodad' : '')

/** Whatever comes from the private address goes into the private network, and nothing of it by another way. */
async function routePrivately(namespace: string, address: string): Promise<void> {
  const rules = await privateRules(namespace)
  const commands = [`route replace default dev private src ${address} table ${privateTable}`]
  if (!rules.includes(address)) commands.push(`rule add from ${address} table ${privateTable}`)
  await run('ip', ['-n', namespace, '-batch', '-'], lines(commands))
}

/** The addresses whose traffic goes by the private table. */
async function privateRules(namespace: string): Promise<string[]> {
  const rules = parse<{ src: string; table: string }>(await run('ip', ['-n', namespace, '-j', 'rule', 'show']))
  return rules.filter(({ table }) => table === String(privateTable)).map(({ src }) => src)
}

/** What `ip -j` printed, which is nothing at all for an empty list. */
const parse = <T>(text: string) => JSON.parse(text.trim() || '[]') as T[]

/** Takes away the addresses and routes that a balancer no longer has. */
export async function tidyNamespace(names: NamespaceNames, wanted: Addresses): Promise<void> {
  const { namespace, publicEnd, privateEnd } = names
  const { publicAddresses, privateAddress } = wanted
  const kept = new Set([...publicAddresses, ...(privateAddress ? [privateAddress] : [])])
  const links = parse<AddressedLink>(await run('ip', ['-n', namespace, '-j', 'address', 'show']))
  const inside = links.flatMap(({ ifname, addr_info }) =>
    addr_info
      .filter(({ local, scope }) => scope === 'global' && !kept.has(local))
      .map(({ local }) => `address delete ${host(local)} dev ${ifname}`),
  )
  const rules = (await privateRules(namespace)).filter((address) => address !== privateAddress)
  inside.push(...rules.map((address) => `rule delete from ${address} table ${privateTable}`))
  if (inside.length > 0) await run('ip', ['-n', namespace, '-batch', '-'], lines(inside))
  const outside = (await routedAddresses(publicEnd)).filter((address) => !kept.has(address))
  if (outside.length > 0) {
    const commands = outside.map((address) => `route delete ${host(address)} dev ${publicEnd}`)
    await run('ip', ['-batch', '-'], lines(commands))
  }
  if (!privateAddress) await deleteLink(privateEnd)
}

interface AddressedLink {
  readonly ifname: string
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[]
}

/** The addresses that the machine routes to a balancer. */
async function routedAddresses(publicEnd: string): Promise<string[]> {
  const show = (family: string) => run('ip', [family, '-j', 'route', 'show', 'dev', publicEnd])
  const routes = [await show('-4'), await show('-6')].flatMap((text) => parse<{ dst: string }>(text))
  return routes.map(({ dst }) => dst).filter((dst) => isIP(dst) !== 0)
}

async function deleteLink(name: string): Promise<void> {
  if (hasLink(name)) await run('ip', ['link', 'delete', name])
}

/** Ends every process in a namespace, at once, and waits until none is left. Errors: a transient `DriverError`. */
export async function endProcesses(names: NamespaceNames): Promise<void> {
  const until = performance.now() + endMs
  for (let left = await processesIn(names); left.length > 0; left = await processesIn(names)) {
    for (const pid of left) signal(pid, 'SIGKILL')
    if (performance.now() > until) throw new DriverError('HAProxy does not end', { transient: true })
    await delay(10)
  }
}

async function processesIn(names: NamespaceNames): Promise<number[]> {
  if (!isThere(names)) return []
  return (await run('ip', ['netns', 'pids', names.namespace])).split('\n').filter(Boolean).map(Number)
}

/** Removes a namespace with all that is in it; succeeds when there is none. */
export async function removeNamespace(names: NamespaceNames): Promise<void> {
  await endProcesses(names)
  await deleteLink(names.publicEnd)
  await deleteLink(names.privateEnd)
  if (isThere(names)) await run('ip', ['netns', 'delete', names.namespace])
}
