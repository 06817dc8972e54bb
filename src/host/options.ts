/** The mistakes in options of `wolke host setup` that show before anything is changed. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { type HostOptions, overlap, ownNetworks } from './decisions.ts'
import type { Facts } from './facts.ts'
import { knownName } from './steps/wolke.ts'

/** Ports that OVN, Incus, joining and the metadata of servers have. */
const takenPorts = [6641, 6642, 6643, 6644, 8169, 8443, 8444]

/** A line for each mistake. */
export function problemsOfOptions(options: HostOptions, facts: Facts): string[] {
  return [...problemsOfPairs(options), ...problemsOfFiles(options), ...problemsOfName(options, facts)]
}

function problemsOfPairs({
  port,
  tlsCert,
  tlsKey,
  acmeEmail,
  acmeServer,
  imageMetadata,
  imageRoot,
}: HostOptions): string[] {
  const problems: string[] = []
  if (port !== undefined && takenPorts.includes(port)) problems.push(`--port: hosts need ${port} for something else`)
  if ((tlsCert === undefined) !== (tlsKey === undefined)) problems.push('--tls-cert and --tls-key need each other')
  if (acmeEmail !== undefined && tlsCert !== undefined) problems.push('--acme-email and --tls-cert exclude each other')
  if (acmeServer !== undefined && acmeEmail === undefined) problems.push('--acme-server: it needs --acme-email')
  if ((imageMetadata === undefined) !== (imageRoot === undefined)) {
    problems.push('--image-metadata and --image-root need each other')
  }
  return problems
}

function problemsOfFiles({ tlsCert, tlsKey, imageMetadata, imageRoot }: HostOptions): string[] {
  const given = { 'tls-cert': tlsCert, 'tls-key': tlsKey, 'image-metadata': imageMetadata, 'image-root': imageRoot }
  const isMissing = (path: string | undefined) =>
    path !== undefined && !statSync(path, { throwIfNoEntry: false })?.isFile()
  const missing = Object.entries(given).filter(([, path]) => isMissing(path))
  if (missing.length > 0) return missing.map(([option, path]) => `--${option}: there is no file ${path}`)
  return tlsCert !== undefined && tlsKey !== undefined ? problemsOfPair(tlsCert, tlsKey) : []
}

function problemsOfPair(certPath: string, keyPath: string): string[] {
  const cert = orNothing(() => new X509Certificate(readFileSync(certPath)))
  const key = orNothing(() => createPrivateKey(readFileSync(keyPath)))
  if (!cert) return [`--tls-cert: ${certPath} is no certificate in PEM`]
  if (!key) return [`--tls-key: ${keyPath} is no private key in PEM without a passphrase`]
  if (!cert.checkPrivateKey(key)) return [`--tls-key: ${keyPath} is not the key of ${certPath}`]
  return Date.parse(cert.validTo) > Date.now() ? [] : [`--tls-cert: ${certPath} has ended, on ${cert.validTo}`]
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function problemsOfName(options: HostOptions, facts: Facts): string[] {
  const { publicName, acmeEmail } = options
  const isName = (name: string) => name.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.|$))+$/i.test(name)
  if (publicName !== undefined && isIP(publicName) === 0 && !isName(publicName)) {
    return [`--public-name: ${JSON.stringify(publicName)} is neither a name nor an address`]
  }
  if (acmeEmail === undefined) return []
  if (!/^[^\s@]+@[^\s@]+$/.test(acmeEmail)) return [`--acme-email: ${acmeEmail} is no address of mail`]
  const name = knownName(options, facts)
  return name !== undefined && isIP(name) === 0 && name.includes('.')
    ? []
    : ['--public-name: it has to be a name with a domain, for which an authority signs by ACME']
}

/** Networks and interfaces that would cut the machine off, or that cannot work. A line for each. */
export function problemsOfNetwork({ addressPool = [], uplink }: HostOptions, { bare, networks }: Facts): string[] {
  const problems: string[] = []
  const special = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/16', 'fe80::/10', 'ff00::/8']
  const isWithin = (pool: string, network: string) =>
    overlap(pool, network) && Number(pool.split('/')[1]) <= Number(network.split('/')[1] ?? 32)
  for (const pool of addressPool) {
    const clash =
      [...special, ...ownNetworks].find((one) => overlap(pool, one)) ?? networks.find((one) => isWithin(pool, one))
    if (clash !== undefined) problems.push(`--address-pool: ${pool} overlaps with ${clash}, which is used already`)
  }
  if (uplink !== undefined && !bare.includes(uplink)) {
    const there = bare.length === 0 ? 'this machine has none' : `there is ${bare.join(', ')}`
    problems.push(`--uplink: ${uplink} is no interface without an address; ${there}`)
  }
  return problems
}
