/** This is what only Wolke has: the management API, reachability, and the console with the pages before it. Loaded on first use. */
import { eventStream } from './events/stream.ts'
import type { Standing } from './kernel/access/standing.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { auditEndpoints } from './kernel/audit/contract.ts'
import { auditRoutes } from './kernel/audit/routes.ts'
import { wolkeBase } from './kernel/contract/bases.ts'
import type { Watch } from './kernel/data/health.ts'
import type { Mounting } from './kernel/http/mounting.ts'
import type { Logger } from './kernel/process/log.ts'
import { labEndpoints } from './lab/contract.ts'
import { faultEndpoints } from './lab/faults/contract.ts'
import type { Faults } from './lab/faults/open.ts'
import { faultRoutes } from './lab/faults/routes.ts'
import type { LabOptions } from './lab/options.ts'
import type { ProjectReset } from './lab/project-reset.ts'
import type { Recorder } from './lab/report/recorder.ts'
import { type Lab, labRoutes } from './lab/routes.ts'
import { seedEndpoints } from './lab/seed/contract.ts'
import { seedRoutes } from './lab/seed/routes.ts'
import type { States } from './lab/states.ts'
import type { Time } from './lab/time.ts'
import { managementEndpoints } from './management/contract.ts'
import type { Process } from './management/installation/routes.ts'
import { managementRoutes } from './management/routes.ts'
import { consoleTree } from './pages/console.ts'
import { peopleEndpoints } from './people/contract.ts'
import { doorFiles, doorRoutes } from './people/pages/routes.ts'
import type { People } from './people/people.ts'
import { peopleHandlers } from './people/routes.ts'
import type { Platform } from './platform.ts'
import { reachabilityEndpoints } from './reachability/contract.ts'
import { reachabilityRoutes } from './reachability/routes.ts'
import { version } from './version.ts'

/** What the parts are made of. */
export interface Own {
  readonly platform: Platform
  readonly drivers: Drivers
  readonly people: People
  readonly process: Process
  readonly log: Logger
  /** The time of the lab, where there is one, and the forks of this cloud. */
  readonly time: Time | undefined
  readonly states?: States | undefined
  readonly projectReset: ProjectReset | undefined
  readonly lab: LabOptions | undefined
  /** The faults that testers inject, where they may. */
  readonly faults: Faults | undefined
  /** Records the requests, where there is a lab. */
  readonly recorder: Recorder | undefined
  readonly watch: Watch
  readonly standing: Standing
  /** The beginning of labels that are not for callers. */
  readonly vendor: string
}

export function mountOwn(part: Mounting, own: Own): void {
  const { platform, drivers, people, process, log, time, states, projectReset, faults, recorder, lab } = own
  const { db, clock, familyOf } = platform
  const reports = recorder && { recorder, platform, version }
  part.mount(reachabilityEndpoints, reachabilityRoutes(platform, drivers), wolkeBase)
  part.mount(
    labEndpoints,
    labRoutes(time && { time, states, projectReset, ...labParts(own), isShared: db.dialect.shared, reports }),
    wolkeBase,
  )
  part.mount(
    faultEndpoints,
    faultRoutes(time && faults && { rules: faults.rules, time, isShared: db.dialect.shared }),
    wolkeBase,
  )
  part.mount(seedEndpoints, seedRoutes(own), wolkeBase)
  part.mount(managementEndpoints, managementRoutes(platform, people, process, drivers), wolkeBase)
  part.mount(auditEndpoints, auditRoutes(platform), wolkeBase)
  part.mount(peopleEndpoints, peopleHandlers(people), wolkeBase)
  part.stream(eventStream({ db, clock, log, familyOf, era: lab?.era ?? 0 }))
  part.openTree(consoleTree({ isLab: time !== undefined }))
  for (const file of doorFiles) part.open(file)
  part.serve(doorRoutes({ people, version }))
}

/** Files with snapshots need these, and people the reason why there are none. */
function labParts({ platform: { db, secrets }, lab = undefined }: Own): Pick<Lab, 'files' | 'outside'> {
  const { infrastructure, migrations, outside } = lab ?? {}
  const files = infrastructure && migrations && { version, migrations, secrets, query: db.query, infrastructure }
  return { outside, files }
}
