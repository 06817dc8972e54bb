/** The setup of a host: what is decided for it, and its steps in their order. */
import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { chosenPool, chosenUnderlay, type Decided, decide, type HostOptions, SetupRefused } from './decisions.ts'
import { type Facts, findFacts } from './facts.ts'
import { digestOf, redeem, unasked } from './joining/redeem.ts'
import { Journal } from './journal.ts'
import { isActive, type Machine } from './machine.ts'
import { configFile, folder, journalFile } from './paths.ts'
import { preflight } from './preflight.ts'
import { type Ended, Shell } from './shell.ts'
import { authorityStep, handOutStep, joinedPairStep } from './steps/certificates.ts'
import { hostNetworkStep, routesStep, tunnelsStep } from './steps/host-network.ts'
import { imageStep, wantedImages } from './steps/images.ts'
import { accessStep, addressesOf, incusStep, instancesOf, membersOf, networksStep } from './steps/incus.ts'
import { centralStep, chassisStep, noCentralStep } from './steps/ovn.ts'
import { packagesStep, sourcesStep } from './steps/packages.ts'
import { configStep, serviceStep, tlsStep } from './steps/wolke.ts'
import { doSteps, planSteps, type Say, type Step, undoSteps } from './steps.ts'

/** How the program itself is run again: Node.js and the script, and the environment. */
export interface Self {
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export interface Setup {
  readonly self: Self
  readonly machine: Machine
  readonly journal: Journal<Decided>
  readonly steps: readonly Step[]
}

/** Runs Wolke's own commands with the configuration of the service. */
function ownCommand(shell: Shell, { command }: Self, config: string): (...args: readonly string[]) => Promise<Ended> {
  const [program = '', ...first] = command
  return (...args) => shell.run('env', `WOLKE_CONFIG=${config}`, program, ...first, ...args)
}

/** How a setup begins. */
export interface Beginning {
  readonly options: HostOptions
  readonly self: Self
  /** The token with which this machine joins; undefined for the first host. */
  readonly token?: string | undefined
  /** True when nothing may be changed, here or on the first host. */
  readonly isDry: boolean
}

/** Looks at the machine and decides. Nothing is changed but that a token is used. Errors: `SetupRefused`. */
export async function prepare({ options, self, token, isDry }: Beginning): Promise<Setup> {
  const shell = new Shell(self.env)
  const journal = new Journal<Decided>(journalFile)
  const facts = await findFacts(shell)
  const before = journal.decided
  await preflight({ options, facts, shell, isFirst: before === undefined })
  if (before && token !== undefined && before.joined?.token !== digestOf(token)) {
    throw new SetupRefused('--join: this machine is a host already; wolke host undo comes first')
  }
  const decided = before
    ? checkedAgain(options, before)
    : await decideAnew({ options, self, token, isDry }, facts, shell)
  // What the first host gave for the token is kept before anything else happens: it gives it once.
  if (decided.joined && !before && !isDry) journal.decide(decided)
  const known = await addressesOf(shell)
  const current = known.length === 0 ? decided : { ...decided, members: known }
  // While Incus does not answer, its members stay those of the last time.
  if (before && known.length > 0 && !isDry) journal.decide(current)
  return { journal, ...machineOf({ options, facts, shell, decided: current }, self) }
}

function machineOf(parts: Omit<Machine, 'wolke'>, self: Self): Pick<Setup, 'machine' | 'steps' | 'self'> {
  const machine = { ...parts, wolke: ownCommand(parts.shell, self, configFile) }
  return { machine, steps: stepsOf(machine), self }
}

/** The same setup with one host more. */
export function withMember({ machine, journal, self }: Setup, address: string): Setup {
  const members = [...new Set([...machine.decided.members, address])]
  return { journal, ...machineOf({ ...machine, decided: { ...machine.decided, members } }, self) }
}

async function decideAnew({ options, token, isDry }: Beginning, facts: Facts, shell: Shell): Promise<Decided> {
  if (token === undefined) return decide(options, facts, shell)
  const underlay = await chosenUnderlay(options, facts, shell)
  const pool = await chosenPool(options, facts, shell)
  const joined = isDry ? unasked(token) : await redeem(shell, token, facts.name, underlay.address)
  const { central, uplink, members } = joined
  return { name: facts.name, underlay, central, release: facts.release, pool, uplink, members, joined }
}

/** Options that a setup cannot change any more are refused, when they say something else. Errors: `SetupRefused`. */
function checkedAgain(options: HostOptions, decided: Decided): Decided {
  const { uplink, pool, underlay } = decided
  const fixed: Readonly<Record<string, readonly [readonly (string | undefined)[] | undefined, readonly string[]]>> = {
    '--address-pool': [options.addressPool, [uplink.pool4, uplink.pool6]],
    '--disk': [[options.disk], [pool.value]],
    '--interface': [[options.interface], [underlay.device]],
    '--pool-size': [[options.poolSize], [pool.value]],
    '--uplink': [[options.uplink], [uplink.device]],
    '--uplink-address': [options.uplinkAddress, uplink.own],
    '--uplink-gateway': [options.uplinkGateway, [uplink.gateway4, uplink.gateway6]],
    '--uplink-range': [[options.uplinkRange], [uplink.range4]],
  }
  for (const [option, [wanted = [], is]] of Object.entries(fixed)) {
    if (wanted.some((one) => one !== undefined && !is.includes(one))) {
      throw new SetupRefused(
        `${option}: it is ${is.join()} since the setup, and servers rely on it; wolke host undo comes first`,
      )
    }
  }
  return decided
}

function stepsOf(machine: Machine): Step[] {
  const system = [sourcesStep(machine), packagesStep(machine)]
  const network = [chassisStep(machine), hostNetworkStep(machine), tunnelsStep(machine)]
  if (machine.decided.joined) {
    return [
      ...system,
      joinedPairStep(machine),
      handOutStep(machine),
      noCentralStep(machine),
      ...network,
      incusStep(machine),
    ]
  }
  return [
    ...system,
    authorityStep(machine),
    handOutStep(machine),
    centralStep(machine),
    ...network,
    incusStep(machine),
    networksStep(machine),
    routesStep(machine),
    accessStep(machine),
    tlsStep(machine),
    configStep(machine),
    ...wantedImages(machine).map((name) => imageStep(machine, name)),
    serviceStep(machine),
  ]
}

/** Makes the machine a host. Returns the number of steps that had something to do. Errors: `SetupRefused`. */
export async function setUp({ machine, journal, steps }: Setup, say: Say): Promise<number> {
  return alone(async () => {
    if (journal.decided === undefined) journal.decide(machine.decided)
    return doSteps(steps, journal, machine.shell, say)
  })
}

/** Says what a setup would do. */
export function plan({ steps }: Setup, say: Say): Promise<void> {
  return planSteps(steps, say)
}

/**
 * Undoes what the setup made. Servers and what else is in Incus are removed only `withData`, and so is the data of
 * Wolke. Errors: `SetupRefused`.
 */
export async function undo({ machine, journal, steps }: Setup, withData: boolean, say: Say): Promise<void> {
  const { shell, decided } = machine
  await alone(async () => {
    if (await isActive(shell, 'incus')) {
      const others = (await membersOf(shell)).filter((name) => name !== decided.name)
      if (others.length > 0 && !decided.joined) {
        throw new SetupRefused(
          `${others.join(', ')} ${others.length === 1 ? 'is a host' : 'are hosts'} of this cluster: wolke host undo there comes first`,
        )
      }
      const instances = await instancesOf(shell, decided.name)
      if (instances.length > 0 && !withData) {
        const few = instances.slice(0, 5).join(', ')
        throw new SetupRefused(`--with-data: ${instances.length} servers or Load Balancers are there, such as ${few}`)
      }
    }
    await undoSteps(steps, journal, say)
    rmSync(folder, { recursive: true, force: true })
    if (withData) await shell.script('data', 'systemctl stop wolke\nfind /var/lib/wolke -mindepth 1 -delete\n', [])
    await shell.script('service', 'systemctl daemon-reload\nsystemctl restart wolke\n', [])
  })
}

/** Does work while no other setup of this machine does any. The name in memory is free again when the process ends, however it ends. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const mark = createServer()
  await new Promise<void>((resolve, reject) => {
    mark.once('error', () => reject(new SetupRefused('another setup of this machine runs')))
    mark.listen('\0wolke-host-setup', resolve)
  })
  try {
    return await work()
  } finally {
    mark.close()
  }
}

/** True on a machine that was set up, wholly or in part. */
export const isBegun = () => existsSync(journalFile)
