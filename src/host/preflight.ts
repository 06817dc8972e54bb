/** What has to be so before anything is changed. */
import { existsSync } from 'node:fs'
import { type HostOptions, releases, SetupRefused, usualPort } from './decisions.ts'
import type { Facts } from './facts.ts'
import { problemsOfNetwork, problemsOfOptions } from './options.ts'
import { serviceUnit } from './paths.ts'
import type { Shell } from './shell.ts'

/** The least memory of a host, in bytes: both engines and Wolke take a half of it. */
const leastMemory = 1_500 * 1_024 ** 2

export interface Flight {
  readonly options: HostOptions
  readonly facts: Facts
  readonly shell: Shell
  /** True when no setup has begun here. */
  readonly isFirst: boolean
}

/** Errors: `SetupRefused` with a line for each thing that is in the way. */
export async function preflight(flight: Flight): Promise<void> {
  const problems = [...problemsOfMachine(flight.facts), ...problemsOfOptions(flight.options, flight.facts)]
  if (flight.isFirst) problems.push(...(await problemsOfFirst(flight)))
  if (problems.length > 0) throw new SetupRefused(problems.join('\n'))
}

function problemsOfMachine({ release, name, memoryBytes }: Facts): string[] {
  const problems: string[] = []
  if (!releases.includes(release)) problems.push('this machine has neither Debian 12 nor Debian 13')
  if (!existsSync(serviceUnit)) {
    problems.push(
      'the service of Wolke comes with its Debian package, which is not installed here: apt install ./wolke_*.deb',
    )
  }
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(name) || ['ca', 'localhost'].includes(name.toLowerCase())) {
    problems.push(`a host needs a name of its own, and this machine is called ${name}: hostnamectl hostname NAME`)
  }
  if (memoryBytes < leastMemory) {
    problems.push(`a host needs 1500 MiB of memory, and this machine has ${Math.round(memoryBytes / 1_024 ** 2)}`)
  }
  return problems
}

/** What others have made of the machine is theirs. */
async function problemsOfFirst({ options, facts, shell }: Flight): Promise<string[]> {
  const problems = problemsOfNetwork(options, facts)
  for (const path of ['/var/lib/incus/database', '/etc/openvswitch/conf.db', '/var/lib/ovn/ovnnb_db.db']) {
    if (existsSync(path)) problems.push(`${path} is there: this machine has Incus or OVN already, by another hand`)
  }
  const { port = usualPort } = options
  const ports = [port, 6641, 6642, 8443, ...(options.acmeEmail === undefined ? [] : [80])]
  const { stdout } = await shell.run('ss', '-Hltn')
  const used = new Set(stdout.split('\n').map((line) => Number(line.split(/\s+/)[3]?.split(':').at(-1))))
  for (const one of ports.filter((each) => used.has(each))) {
    problems.push(one === port ? `--port: something listens on ${one}` : `something listens on port ${one}`)
  }
  return problems
}
