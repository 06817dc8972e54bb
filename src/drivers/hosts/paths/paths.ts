/** Tells the operator between which hosts packets of servers pass. */
import { randomInt } from 'node:crypto'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Finding } from '../finding.ts'
import type { ClusterMember } from '../members.ts'
import type { ClusterOptions } from '../options.ts'
import { whole } from '../requirements.ts'
import { endsOf, makeProbe, type Probe, planProbes, removeOldProbes, removeProbe } from './probes.ts'
import { brokenWays } from './ways.ts'

export interface PathParts {
  readonly incus: Incus
  readonly options: Pick<ClusterOptions, 'pool' | 'publicNetwork'>
  /** Ends the attempt early, with nothing left behind. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends packets from each host that is online to each other one, and removes again all that was needed for it. Errors:
 * the reason of the signal; what hosts refuse is a finding.
 */
export async function pathsFound(parts: PathParts, members: readonly ClusterMember[]): Promise<Finding[]> {
  const online = members.filter(({ status }) => status === 'Online').map(({ server_name }) => server_name)
  if (online.length < 2) return []
  const { incus, options, signal } = parts
  const probes = planProbes(online.sort(), randomInt(2 ** 24))
  const said = new Failures()
  await said.of('probes of earlier checks', () => removeOldProbes(incus, Date.now()))
  try {
    const isMade = await Promise.all(
      probes.map((probe) => said.of(`probe on ${probe.member}`, () => makeProbe(incus, options, probe))),
    )
    signal?.throwIfAborted()
    await said.of('packets between hosts', async () => {
      const running = probes.filter((_, index) => isMade[index])
      for (const finding of await waysFound(incus, running, signal)) said.findings.push(finding)
    })
  } finally {
    await Promise.all(probes.map(({ name, member }) => said.of(`probe on ${member}`, () => removeProbe(incus, name))))
  }
  return said.findings
}

async function waysFound(incus: Incus, probes: readonly Probe[], signal: AbortSignal | undefined): Promise<Finding[]> {
  const ends = await endsOf(incus, probes)
  const broken = await brokenWays({
    ...ends,
    async send(from, to, size) {
      signal?.throwIfAborted()
      await ends.send(from, to, size)
    },
  })
  const names = probes.map(({ member }) => member)
  const largest = `packets of ${ends.mtu} bytes`
  if (broken.length === 0) {
    return [
      { what: 'packets between hosts', isFine: true, says: `${largest} arrive on all ways of ${names.join(', ')}` },
    ]
  }
  return broken.map(({ from, to, passesSmall }) => ({
    what: `packets from ${names[from]} to ${names[to]}`,
    isFine: false,
    says: passesSmall ? `${largest} do not arrive, small ones do` : 'none arrives',
  }))
}

/** Keeps what hosts refuse or do not answer as findings, so that everything else is looked at all the same. */
class Failures {
  readonly findings: Finding[] = []

  /** Tells whether something succeeded. Errors: those that are none of a driver. */
  async of(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
      this.findings.push({ what, isFine: false, says: whole(error) })
      return false
    }
  }
}
