/** `wolke host` makes a host of this machine: the whole of a cloud, or a further member of one. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { handedOn, serveOptions } from '../config/config.ts'
import type { HostOptions } from '../host/decisions.ts'
import type { Self, Setup } from '../host/setup.ts'
import { parseCidr } from '../protocols/net/ip.ts'
import { CommandFailure } from './failure.ts'

interface SetupOptions extends HostOptions {
  readonly dryRun?: boolean
  readonly join?: string
}

/** Declares the commands. */
export function hostCommand(): Command {
  const command = new Command('host').description('make a host of this machine, with Incus, OVN and Wolke, as root')
  const setup = command
    .command('setup')
    .description('make a cloud of this machine, or with --join a further host of one; what is so already stays')
    .option('--dry-run', 'say what would be done, and change nothing')
    .addOption(new Option('--join <token>', 'what wolke host token says on the first host').env('WOLKE_HOST_TOKEN'))
    .action((options: SetupOptions) => setUp(options))
  command
    .command('token')
    .description('print a token for one further host, and wait for that host to use it')
    .addOption(
      new Option('--expires <minutes>', 'the time after which the token is worth nothing')
        .env('WOLKE_HOST_EXPIRES')
        .argParser(minutes)
        .default(60),
    )
    .action((options: { readonly expires: number }) => offer(options.expires))
  command
    .command('undo')
    .description('undo what wolke host setup made on this machine')
    .option('--with-data', 'remove also servers, Load Balancers, disks and the data of Wolke')
    .action((options: { readonly withData?: boolean }) => undo(options.withData === true))
  for (const option of [...networkOptions(), ...machineOptions(), ...tlsOptions()]) setup.addOption(option)
  return command
}

const own = (flags: string, description: string) => {
  const option = new Option(flags, description)
  return option.env(`WOLKE_HOST_${option.long!.slice(2).toUpperCase().replaceAll('-', '_')}`)
}

function networkOptions(): Option[] {
  return [
    own('--interface <name>', 'the one that leads to other hosts (default: that of the default route)'),
    new Option(
      '--address-pool <cidr,...>',
      'an IPv4 and an IPv6 network that are routed here (default: private ones behind this machine)',
    )
      .env('WOLKE_ADDRESS_POOL')
      .argParser(pools),
    own('--uplink <name>', 'an interface without an address on the network of a router (default: this machine routes)'),
    own('--uplink-address <address/prefix,...>', 'addresses of this machine there, IPv4 and IPv6').argParser(
      interfaces,
    ),
    own('--uplink-gateway <address/prefix,...>', 'addresses of the router there').argParser(interfaces),
    own('--uplink-range <address-address>', 'IPv4 addresses there that the router of servers may take'),
  ]
}

function machineOptions(): Option[] {
  const shared = ['--incus-type', '--incus-overcommit', '--incus-name-servers']
  return [
    own('--disk <device>', 'a disk or partition without data for servers (default: the largest that there is)'),
    own('--pool-size <size>', 'such as 500GiB: a file for servers instead (default: 60 % of what is free)'),
    ...serveOptions()
      .filter(({ long }) => shared.includes(long!))
      .map((option) => withoutDefault(option)),
    own('--images <name,...>', 'those to make (default: the Debian of this machine, and wolke-balancer)').argParser(
      images,
    ),
    own('--image-metadata <file>', 'the metadata of an image of Incus, in the place of building them'),
    own('--image-root <file>', 'its root file system (squashfs)'),
  ]
}

function tlsOptions(): Option[] {
  return [
    own(
      '--public-name <name>',
      'the name of the API (default: that of this machine, if it leads here, or its address)',
    ),
    own('--port <port>', 'that of the API (default: 443)').argParser(port),
    new Option('--tls-cert <file>', 'certificate chain (PEM) of the API').env('WOLKE_TLS_CERT'),
    new Option('--tls-key <file>', 'private key (PEM) of the certificate').env('WOLKE_TLS_KEY'),
    own('--acme-email <address>', 'get a certificate by ACME for the public name, and renew it, with this contact'),
    own('--acme-server <url>', 'directory of the authority (default: that of Let’s Encrypt)').argParser(httpsUrl),
  ]
}

/** What wolke serve takes for granted is not asked for here. */
function withoutDefault({ flags, description, envVar, parseArg, argChoices }: Option): Option {
  const option = new Option(flags, description).env(envVar!)
  if (argChoices) return option.choices(argChoices)
  return parseArg ? option.argParser(parseArg) : option
}

function minutes(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > 1_440)
    throw new InvalidArgumentError('Expected minutes, 1 to 1440.')
  return Number(text)
}

function port(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected a port.')
  return Number(text)
}

function pools(text: string): string[] {
  const all = text.split(',').map((one) => one.trim())
  const parsed = all.map((one) => parseCidr(one))
  parsed.forEach((one, at) => {
    if (!one.ok) throw new InvalidArgumentError(`${all[at]}: ${one.message}.`)
    if (one.family === 6 && one.prefixLength > 64) throw new InvalidArgumentError(`${all[at]}: must be /64 or larger.`)
  })
  const count = (family: number) => parsed.filter((one) => one.ok && one.family === family).length
  if (count(4) !== 1 || count(6) > 1) throw new InvalidArgumentError('Expected one IPv4 and at most one IPv6 network.')
  return parsed.map((one) => (one.ok ? one.cidr : ''))
}

function interfaces(text: string): string[] {
  const all = text.split(',').map((one) => one.trim())
  for (const one of all) {
    if (!parseCidr(one, 'drop').ok) throw new InvalidArgumentError(`${one}: expected ADDRESS/PREFIX.`)
  }
  return all
}

function images(text: string): string[] {
  const all = text === 'none' ? [] : text.split(',').map((one) => one.trim())
  const known = ['debian-12', 'debian-13', 'wolke-balancer']
  const unknown = all.find((one) => !known.includes(one))
  if (unknown !== undefined) throw new InvalidArgumentError(`${unknown}: expected ${known.join(', ')}, or none.`)
  return all
}

function httpsUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:') throw new InvalidArgumentError('Expected https://...')
  return text
}

const self = (): Self => ({ command: [process.execPath, process.argv[1]!], env: handedOn() })

/** Errors: `CommandFailure` for what the operator can mend, which is each failure of a step. */
async function refusing<T>(work: (host: typeof import('../host/setup.ts')) => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) throw new CommandFailure('wolke host needs root')
  const { SetupRefused } = await import('../host/decisions.ts')
  try {
    return await work(await import('../host/setup.ts'))
  } catch (error) {
    if (error instanceof SetupRefused) throw new CommandFailure(error.message, 2)
    throw new CommandFailure((error as Error).message)
  }
}

const say = (line: string) => console.log(line)

async function setUp(options: SetupOptions): Promise<void> {
  await refusing(async (host) => {
    const { dryRun: isDry = false, join: token } = options
    const setup = await host.prepare({ options, self: self(), token, isDry })
    sayDecided(setup)
    if (isDry) {
      await host.plan(setup, say)
      return
    }
    const done = await host.setUp(setup, say)
    say(done === 0 ? 'All is so already.' : 'All is done.')
    await sayEnd(setup)
  })
}

/** What was decided for the operator is said in words, each with the option that would change it. */
function sayDecided({ machine: { decided, facts, options } }: Setup): void {
  const { name, underlay, pool, uplink, joined } = decided
  say(`Host ${name}, ${underlay.address} on ${underlay.device} (--interface), MTU ${underlay.mtu}`)
  say(
    pool.key === 'size'
      ? `Disks of servers: a file of ${pool.value} (--disk, --pool-size)`
      : `Disks of servers: ${pool.value} (--disk)`,
  )
  if (joined) {
    say(`A further host of the cluster of ${joined.central}`)
    return
  }
  const how = uplink.device === '' ? 'this machine routes them' : `by the router on ${uplink.device}`
  say(`Addresses of servers: ${uplink.pool4} and ${uplink.pool6}, ${how} (--address-pool, --uplink)`)
  if (uplink.device === '' && facts.bare.length > 0) {
    say(`Without an address, and perhaps the uplink: ${facts.bare.join(', ')} (--uplink)`)
  }
  if (facts.hasKvm && options.incusType !== 'virtual-machine') {
    say(
      'Servers are containers, though /dev/kvm works here (--incus-type virtual-machine, which needs images of its own)',
    )
  }
  if (underlay.mtu < 1_558) say(`Servers have an MTU of 1442, as ${underlay.device} carries less than 1558 bytes`)
}

async function sayEnd({ machine }: Setup): Promise<void> {
  if (machine.decided.joined) return say('This machine is a host of the cluster; the first host tells Wolke of it.')
  const { isSelfSigned, publicUrl, setupLink } = await import('../host/outcome.ts')
  for (const command of [['infrastructure', 'check'], ['doctor']]) {
    const { stdout, stderr } = await machine.wolke(...command)
    const lines = `${stdout}${stderr}`.trim().split('\n')
    // Only what is not well needs somebody.
    for (const line of lines.filter((one) => !/(^ok|\tok\t)/.test(one))) say(`  ${line}`)
  }
  if (isSelfSigned())
    say('The certificate of the API is signed by nobody: --acme-email or --tls-cert bring a better one.')
  say(`The API is at ${publicUrl()}, and the console at ${publicUrl()}/console.`)
  const link = setupLink()
  if (link !== undefined) say(`The first administrator begins here: ${link}`)
}

async function undo(withData: boolean): Promise<void> {
  await refusing(async (host) => {
    if (!host.isBegun()) return say('There is nothing to undo: wolke host setup has made nothing here.')
    const setup = await host.prepare({ options: {}, self: self(), isDry: true })
    await host.undo(setup, withData, say)
    say('All is undone.')
  })
}

async function offer(minutes: number): Promise<void> {
  await refusing(async (host) => {
    if (!host.isBegun()) throw new CommandFailure('this machine is no host yet: wolke host setup makes one')
    const { admitOne } = await import('../host/joining/admit.ts')
    const setup = await host.prepare({ options: {}, self: self(), isDry: false })
    await admitOne(setup, minutes, say)
  })
}
