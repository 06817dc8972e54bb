/** BIND and Knot as primaries, which sign zones themselves. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram, run } from '../../clients/kit/clients.ts'
import { freePort } from '../../kit/ports.ts'
import type { Place } from '../client.ts'
import { askAll } from './messages.ts'
import { occluded, type Signing, zonefile, zoneNames } from './zones.ts'

/** A name server with the zones of every kind of signing. */
export interface Primary extends Place {
  /** The lines that it has logged so far. */
  readonly log: readonly string[]
  /** Lets it read its files again. */
  reload(): void
  stop(): Promise<void>
}

export const programs = ['named', 'dnssec-keygen', 'dnssec-signzone', 'knotd', 'delv'] as const
export const missingPrograms = () => programs.filter((name) => !findProgram(name))

const signings = Object.keys(zoneNames) as Signing[]

const tries = 5

/** Starts a server on a free port. `isUp` tells which line of its log says that it answers. */
export async function start(
  program: string,
  args: (port: number) => readonly string[],
  isUp: RegExp,
): Promise<Primary> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const child = spawn(findProgram(program)!, args(port), { stdio: ['ignore', 'pipe', 'pipe'] })
    const kill = () => void child.kill('SIGKILL')
    process.once('exit', kill)
    const log: string[] = []
    if (await comesUp(child, isUp, log)) {
      return { host: '127.0.0.1', port, log, reload: () => void child.kill('SIGHUP'), stop: () => stop(child, kill) }
    }
    process.off('exit', kill)
    // Somebody else may have taken the port meanwhile.
    if (attempt === tries) throw new Error(`${program} does not start:\n${log.join('\n')}`)
  }
}

function comesUp(child: ChildProcess, isUp: RegExp, log: string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', () => resolve(false))
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        log.push(line)
        if (isUp.test(line)) resolve(true)
      })
    }
  })
}

async function stop(child: ChildProcess, kill: () => void): Promise<void> {
  process.off('exit', kill)
  const ended = once(child, 'exit')
  if (child.exitCode === null && child.kill('SIGTERM')) await ended
}

// ---- BIND ----------------------------------------------------------------------------------------------------------

const bindOptions: Readonly<Record<Exclude<Signing, 'unsigned'>, readonly string[]>> = {
  NSEC: [],
  NSEC3: ['-3', 'c0ffee'],
  'opt-out': ['-3', '-', '-A'],
}

/** Starts BIND with zones that `dnssec-signzone` has signed; `folder` becomes its own. */
export async function startBind(folder: string): Promise<Primary> {
  for (const signing of signings) await signForBind(folder, signing)
  const zones = signings.map((signing) => {
    const name = zoneNames[signing]
    return `zone "${name}" { type primary; file "${name}.zone"; };`
  })
  return start(
    'named',
    (port) => {
      const file = join(folder, 'named.conf')
      const options = [
        `directory "${folder}"; pid-file none; session-keyfile none; lock-file none;`,
        `listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };`,
        'recursion no; dnssec-validation no; notify no; allow-transfer { any; }; check-names primary ignore;',
        // The authority section then has what an answer needs, and not the name servers of the zone as well.
        'minimal-responses no-auth;',
        // The SOA record of a negative answer has its usual TTL, also when it was asked for.
        'zero-no-soa-ttl no;',
      ]
      writeFileSync(file, [`options { ${options.join(' ')} };`, 'controls { };', ...zones].join('\n'))
      return ['-g', '-n', '1', '-c', file]
    },
    / running$/,
  )
}

async function signForBind(folder: string, signing: Signing): Promise<void> {
  const name = zoneNames[signing]
  const file = join(folder, `${name}.zone`)
  if (signing === 'unsigned') return writeFileSync(file, zonefile + occluded)
  const algorithm = ['-q', '-a', 'ECDSAP256SHA256', '-K', folder]
  const keys: string[] = []
  for (const flags of [['-f', 'KSK'], []]) {
    const { stdout } = await succeed('dnssec-keygen', [...algorithm, ...flags, name])
    keys.push(stdout.trim())
  }
  const publicKeys = keys.map((key) => readFileSync(join(folder, `${key}.key`), 'utf8'))
  writeFileSync(`${file}.plain`, [zonefile, occluded, ...publicKeys].join(''))
  await succeed('dnssec-signzone', [
    '-o',
    name,
    '-K',
    folder,
    '-d',
    folder,
    '-f',
    file,
    ...bindOptions[signing],
    `${file}.plain`,
  ])
}

async function succeed(program: string, args: readonly string[]) {
  const outcome = await run(program, args)
  if (outcome.code !== 0) throw new Error(`${program} ended with ${outcome.code}: ${outcome.stderr}`)
  return outcome
}

// ---- Knot ----------------------------------------------------------------------------------------------------------

/** Starts Knot, which signs its zones as it loads them; `folder` becomes its own. */
export async function startKnot(folder: string): Promise<Primary> {
  const primary = await runKnot(folder)
  // It loads and signs zones after it has started.
  for (const signing of signings) await untilServed(primary, signing)
  return primary
}

async function untilServed(primary: Primary, signing: Signing): Promise<void> {
  const question = { name: zoneNames[signing], type: 'SOA', dnssecOk: true } as const
  for (let tries = 0; tries < 1_500; tries++) {
    const [soa] = await askAll(primary, [question])
    if (soa!.answers.length === (signing === 'unsigned' ? 1 : 2)) return
    await delay(20)
  }
  await primary.stop()
  throw new Error(`Knot does not serve the zone ${question.name}`)
}

async function runKnot(folder: string): Promise<Primary> {
  mkdirSync(join(folder, 'db'), { recursive: true })
  for (const signing of signings) writeFileSync(join(folder, `${zoneNames[signing]}.zone`), zonefile)
  return start(
    'knotd',
    (port) => {
      const file = join(folder, 'knot.conf')
      writeFileSync(file, knotConfiguration(folder, port))
      return ['-c', file]
    },
    /server started/,
  )
}

const knotConfiguration = (folder: string, port: number) => `log:
  - target: stdout
    any: info
server:
  listen: 127.0.0.1@${port}
  rundir: ${folder}
database:
  storage: ${folder}/db
acl:
  - id: transfers
    address: 127.0.0.1
    action: transfer
policy:
  - id: NSEC
    algorithm: ecdsap256sha256
  - id: NSEC3
    algorithm: ecdsap256sha256
    nsec3: on
    nsec3-iterations: 3
  - id: opt-out
    algorithm: ecdsap256sha256
    nsec3: on
    nsec3-opt-out: on
    nsec3-salt-length: 0
zone:
${signings.map((signing) => knotZone(folder, signing)).join('')}`

/** A zone whose file is what it is made of, and stays as it is. */
function knotZone(folder: string, signing: Signing): string {
  const name = zoneNames[signing]
  return `  - domain: ${name}
    file: ${folder}/${name}.zone
    acl: transfers
    zonefile-sync: -1
    zonefile-load: difference-no-serial
    journal-content: all
${signing === 'unsigned' ? '' : `    dnssec-signing: on\n    dnssec-policy: ${signing}\n`}`
}
