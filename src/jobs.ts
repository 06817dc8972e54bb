/** The background jobs of a cloud: those of its families, of its hosts, and of the kernel. */
import { families } from './families.ts'
import type { Authenticator } from './kernel/access/tokens.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { fileAllActions, removeOldActions } from './kernel/actions/expiry.ts'
import { defaultRetentionDays, entryEnds, removeOldEntries } from './kernel/audit/expiry.ts'
import { removeOldMail } from './kernel/mail/deliveries.ts'
import type { Due, PlannedJob } from './kernel/process/jobs.ts'
import type { Logger } from './kernel/process/log.ts'
import { tidyPeople } from './people/open.ts'
import type { People } from './people/people.ts'
import type { Job, Platform } from './platform.ts'
import { installationName } from './reconcile/installation.ts'
import type { ReconciledHosts } from './reconcile/inventory.ts'

export interface JobOptions {
  /** Hosts that are to be kept as they are wanted. */
  readonly hosts?: readonly ReconciledHosts[]
  /** How long before its removal it is told of something on hosts that nobody wants, in milliseconds; a day by default. */
  readonly orphanGraceMs?: number
  /** How long entries of the audit log are kept, in days; 90 by default. */
  readonly auditRetentionDays?: number
}

interface Worked {
  readonly platform: Platform
  readonly drivers: Drivers
  readonly people: People
  readonly authenticator: Authenticator
}

/** All of them, in the order in which they run. */
export async function jobsFor(
  options: JobOptions & { readonly log: Logger },
  { platform, drivers, people, authenticator }: Worked,
): Promise<PlannedJob[]> {
  return [
    ...jobsOf(platform, drivers, options.auditRetentionDays),
    ...(await jobsOfHosts(options, platform, drivers)),
    { name: 'tidyPeople', due: 'whenever', run: () => tidyPeople(people) },
    { name: 'writeUses', due: 'whenever', run: () => authenticator.writeUses() },
  ]
}

const dayMs = 86_400_000

/** The job that makes hosts as they are wanted, if there are any. */
async function jobsOfHosts(
  { hosts = [], orphanGraceMs = dayMs, log }: JobOptions & { readonly log: Logger },
  { db, secrets, clock }: Platform,
  drivers: Drivers,
): Promise<PlannedJob[]> {
  if (hosts.length === 0) return []
  const { Reconciler } = await import('./reconcile/execute.ts')
  const installation = await installationName(secrets, db)
  const parts = { db, secrets, drivers, clock, log, hosts, installation, graceMs: orphanGraceMs }
  const reconciler = new Reconciler(parts)
  return [{ name: 'reconcileHosts', due: 'whenever', run: () => reconciler.run() }]
}

function jobsOf(platform: Platform, drivers: Drivers, auditDays = defaultRetentionDays): PlannedJob[] {
  const { db, clock } = platform
  const isNeeded = ({ due }: Job) => due !== 'shared' || db.dialect.shared
  const ofFamilies = families.flatMap((family) =>
    family.jobs.filter(isNeeded).map((job) => ({
      name: `${family.name}: ${job.name}`,
      due: sourceOf(platform, job.due),
      isFollowing: job.due === 'shared',
      run: () => job.run(platform, drivers),
    })),
  )
  return [
    ...ofFamilies,
    { name: 'removeOldMail', due: 'whenever', run: () => removeOldMail(db) },
    { name: 'fileAllActions', due: 'whenever', run: () => fileAllActions(db) },
    // Lists leave them out before.
    { name: 'removeOldActions', due: 'whenever', run: () => removeOldActions(db, clock) },
    {
      name: 'removeOldEntries',
      due: (afterMs, limit) => entryEnds(db.query, auditDays, afterMs, limit),
      run: () => removeOldEntries(db, clock, auditDays),
      isTidying: true,
    },
  ]
}

function sourceOf(platform: Platform, due: Job['due']): Due {
  return typeof due === 'string' ? 'whenever' : (afterMs, limit) => due(platform, afterMs, limit)
}
