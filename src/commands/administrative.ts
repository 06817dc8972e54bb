/** The commands that administer an installation, also one that runs. */
import type { Command } from 'commander'
import { actionsCommand } from './actions.ts'
import type { Administer } from './administer.ts'
import { auditCommand } from './audit.ts'
import { dnssecCommand } from './dnssec.ts'
import { type Consult, doctorCommand } from './doctor.ts'
import { leasesCommand } from './leases.ts'
import { locksCommand } from './locks.ts'
import { mailCommand } from './mail.ts'
import { personCommand } from './person.ts'
import { projectCommand } from './project.ts'
import { statusCommand } from './status.ts'
import { tokenCommand } from './token.ts'

const administering = [projectCommand, personCommand, tokenCommand, mailCommand, auditCommand]
const operating = [statusCommand, actionsCommand, leasesCommand, locksCommand, dnssecCommand]

export function administrativeCommands(administer: Administer, consult: Consult): Command[] {
  const commands = [...administering, ...operating].map((command) => command(administer))
  return [...commands, doctorCommand(consult)]
}
