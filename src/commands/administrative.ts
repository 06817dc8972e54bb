/** The commands that administer an installation, also one that runs. */
import type { Command } from 'commander'
import type { Administer } from './administer.ts'
import { auditCommand } from './audit.ts'
import { mailCommand } from './mail.ts'
import { personCommand } from './person.ts'
import { projectCommand } from './project.ts'
import { tokenCommand } from './token.ts'

export function administrativeCommands(administer: Administer): Command[] {
  const commands = [projectCommand, personCommand, tokenCommand, mailCommand, auditCommand]
  return commands.map((command) => command(administer))
}
