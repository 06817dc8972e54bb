/** Wolke itself: its certificate, its configuration, and its service. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Document, parseDocument } from 'yaml'
import { type HostOptions, usualPort } from '../decisions.ts'
import type { Facts } from '../facts.ts'
import type { StepRecord } from '../journal.ts'
import { isActive, type Machine } from '../machine.ts'
import { authorityCert, clusterCert, configFile, portsFile, tlsCert, tlsKey, wolkeCert, wolkeKey } from '../paths.ts'
import type { Step } from '../steps.ts'

const readConfig = (): Document => parseDocument(existsSync(configFile) ? readFileSync(configFile, 'utf8') : '')

/** The port of the API: an option, what the configuration has, or that of HTTPS. */
function portOf({ options }: Machine): number {
  const before = /:(\d+)$/.exec(String(readConfig().get('listen') ?? ''))?.[1]
  return options.port ?? (before === undefined ? usualPort : Number(before))
}

/** The name that an option, the configuration or the machine says; undefined when none does. */
export function knownName({ publicName }: HostOptions, facts: Facts): string | undefined {
  const url = String(readConfig().get('public-url') ?? '')
  const before = URL.canParse(url) ? new URL(url).hostname : undefined
  return publicName ?? before ?? facts.publicName
}

/** The name by which users reach the API. */
export const publicNameOf = ({ options, facts, decided: { underlay } }: Machine): string =>
  knownName(options, facts) ?? underlay.address

// ---- TLS -------------------------------------------------------------------------------------------------------------

const hook = '/etc/letsencrypt/renewal-hooks/deploy/wolke'
const renewalMs = 30 * 86_400_000

export function tlsStep(machine: Machine): Step {
  const { options } = machine
  const name = publicNameOf(machine)
  if (options.acmeEmail !== undefined) return acmeStep(machine, name, options.acmeEmail)
  if (options.tlsCert !== undefined && options.tlsKey !== undefined) return givenStep(options.tlsCert, options.tlsKey)
  return ownStep(name)
}

const copy = (cert: string, key: string) =>
  `install -m 644 ${cert} ${tlsCert}\ninstall -m 640 -g wolke ${key} ${tlsKey}\n`

function sameFiles(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other))
}

/** A pair of the operator's that was there before is kept in the journal, which only root reads, and comes back. */
async function notePair({ notes }: StepRecord): Promise<void> {
  for (const path of [tlsCert, tlsKey]) {
    notes[path] ??= existsSync(path) ? readFileSync(path, 'base64') : ''
  }
}

async function putPairBack({ notes }: StepRecord): Promise<void> {
  for (const path of [tlsCert, tlsKey]) {
    // The owner and the mode of the file stay as they are.
    if (notes[path]) writeFileSync(path, Buffer.from(notes[path], 'base64'))
    else rmSync(path, { force: true })
  }
}

function givenStep(cert: string, key: string): Step {
  return {
    name: 'tls',
    title: 'Certificate of the API, which is given',
    isSo: async () => sameFiles(cert, tlsCert) && sameFiles(key, tlsKey),
    scripts: () => [
      {
        name: 'tls',
        text: 'install -m 644 "$1" "$3"\ninstall -m 640 -g wolke "$2" "$4"\n',
        args: [cert, key, tlsCert, tlsKey],
      },
    ],
    note: notePair,
    undo: putPairBack,
  }
}

/** A public authority. The client of ACME is Debian's certbot, whose timer renews, and whose hook puts the pair in place. */
function acmeStep({ shell, options }: Machine, name: string, email: string): Step {
  const live = `/etc/letsencrypt/live/${name}`
  const server = options.acmeServer === undefined ? [] : ['--server', options.acmeServer]
  return {
    name: 'tls',
    title: `Certificate of the API for ${name}, by ACME`,
    files: async () => [
      {
        path: hook,
        text: `#!/bin/sh\n# StepRecord by \`wolke host setup\`: Wolke gets what certbot has renewed.\nset -eu\n${copy(`${live}/fullchain.pem`, `${live}/privkey.pem`)}systemctl restart wolke\n`,
        mode: 0o755,
      },
    ],
    isSo: async () => sameFiles(`${live}/fullchain.pem`, tlsCert) && isGoodFor(name),
    scripts: () => [
      {
        name: 'certbot',
        text: 'certbot certonly --standalone --non-interactive --agree-tos --keep-until-expiring --no-directory-hooks "$@"\n',
        args: ['--email', email, '--domain', name, ...server],
      },
      { name: 'tls', text: copy(`${live}/fullchain.pem`, `${live}/privkey.pem`) },
    ],
    note: notePair,
    async undo(made) {
      await shell.run('certbot', 'delete', '--non-interactive', '--cert-name', name)
      await putPairBack(made)
    },
  }
}

/** A pair of the machine's own, for a start. Any pair that is good for the name is one. */
function ownStep(name: string): Step {
  const subject = isIP(name) ? `IP:${name}` : `DNS:${name}`
  const text = `umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 825 -subj "/CN=$1" \\
  -addext subjectAltName="$2" -keyout ${tlsKey}.new -out ${tlsCert}.new
${copy(`${tlsCert}.new`, `${tlsKey}.new`)}rm ${tlsCert}.new ${tlsKey}.new
`
  return {
    name: 'tls',
    title: `Certificate of the API for ${name}`,
    isSo: async () => isGoodFor(name) && existsSync(tlsKey),
    scripts: () => [{ name: 'tls', text, args: [name, subject] }],
    note: notePair,
    undo: putPairBack,
  }
}

function isGoodFor(name: string): boolean {
  if (!existsSync(tlsCert)) return false
  const own = new X509Certificate(readFileSync(tlsCert))
  const isFor = isIP(name) ? own.checkIP(name) : own.checkHost(name)
  return isFor !== undefined && Date.parse(own.validTo) > Date.now() + renewalMs
}

/** True when no authority has signed the certificate that the API shows. */
export function isSelfSigned(): boolean {
  if (!existsSync(tlsCert)) return false
  const own = new X509Certificate(readFileSync(tlsCert))
  return own.verify(own.publicKey)
}

// ---- Configuration ---------------------------------------------------------------------------------------------------

/** The options of `wolke serve`; all others of the file stay as they are. */
function wantedOptions(machine: Machine): Readonly<Record<string, string | readonly string[]>> {
  const { options, facts, decided } = machine
  const { central, members, uplink } = decided
  const [name, port] = [publicNameOf(machine), portOf(machine)]
  const url = `https://${isIP(name) === 6 ? `[${name}]` : name}${port === usualPort ? '' : `:${port}`}`
  const before = readConfig()
  const kept = (key: string, value: string) => String(before.get(key) ?? value)
  return {
    listen: `0.0.0.0:${port}`,
    'public-url': url,
    'tls-cert': tlsCert,
    'tls-key': tlsKey,
    infrastructure: 'incus',
    incus: members.map((address) => `https://${address}:8443`),
    'incus-cert': wolkeCert,
    'incus-key': wolkeKey,
    'incus-server-cert': clusterCert,
    'incus-pool': 'local',
    'incus-type': options.incusType ?? kept('incus-type', 'container'),
    // Containers take the memory that they use, not what they are promised.
    'incus-overcommit': String(options.incusOvercommit ?? kept('incus-overcommit', '4')),
    ...namesOf(options.incusNameServers ?? facts.nameServers),
    ovn: `ssl:${central}:6641`,
    'ovn-cert': wolkeCert,
    'ovn-key': wolkeKey,
    'ovn-ca': authorityCert,
    'metadata-listen': `${uplink.own[0]!.split('/')[0]}:8169`,
    'address-pool': [uplink.pool4, uplink.pool6],
  }
}

const namesOf = (servers: readonly string[]) => (servers.length === 0 ? {} : { 'incus-name-servers': servers })

export function configStep(machine: Machine): Step {
  const ports = portOf(machine) < 1_024
  const wanted = () => {
    const document = readConfig()
    for (const [key, value] of Object.entries(wantedOptions(machine))) {
      const [old, own] = [document.toJS()?.[key], typeof value === 'string' ? value : [...value]]
      if (JSON.stringify(Array.isArray(old) ? old : String(old)) !== JSON.stringify(own)) document.set(key, own)
    }
    return document.toString()
  }
  return {
    name: 'config',
    title: 'Configuration of Wolke',
    files: async () => [{ path: configFile, text: wanted() }, ...(ports ? [{ path: portsFile, text: portsText }] : [])],
    isSo: async () => true,
    scripts: () => [{ name: 'reload-units', text: 'systemctl daemon-reload\n' }],
  }
}

const portsText = `[Service]
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
PrivateUsers=no
`

// ---- The service -----------------------------------------------------------------------------------------------------

/** The longest time in which the service has to answer after its start, in milliseconds. */
const startMs = 120_000

export function serviceStep({ shell, wolke }: Machine): Step {
  const answers = async () => (await wolke('health')).code === 0
  return {
    name: 'service',
    title: 'Service of Wolke',
    isAfterAll: true,
    isSo: async () => (await isActive(shell, 'wolke')) && isNewerThanFiles() && (await answers()),
    scripts: () => [{ name: 'service', text: 'systemctl enable wolke\nsystemctl restart wolke\n' }],
    async finish() {
      const end = performance.now() + startMs
      while (!(await answers())) {
        if (performance.now() > end) {
          throw new Error(
            `Wolke does not answer: ${(await wolke('health')).stderr.trim()}; journalctl -u wolke says why`,
          )
        }
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    },
  }
}

/** True when the service was started after all that it reads was written. */
function isNewerThanFiles(): boolean {
  const started = startOfService()
  const read = [configFile, tlsCert, wolkeCert, clusterCert, portsFile].filter((path) => existsSync(path))
  return started !== undefined && read.every((path) => statSync(path).mtimeMs <= started)
}

/** The time at which the process of the service began, in milliseconds since the epoch. */
function startOfService(): number | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      if (words[1]?.endsWith('/wolke/dist/main.js') && words[2] === 'serve') return startedAt(pid)
    } catch {
      // The process has ended meanwhile.
    }
  }
  return undefined
}

/** The start of a process is told in ticks, of which a second has 100, after that of the machine. */
function startedAt(pid: string): number {
  const ticks = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19])
  const up = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
  return Date.now() - up * 1_000 + ticks * 10
}
