/** Writes a Project of this process as a file. */
import type { ProjectRow } from '../../kernel/access/projects.ts'
import type { AuditActor } from '../../kernel/audit/note.ts'
import type { Format } from './contract.ts'
import { type Present, readProject } from './present.ts'
import { type Parts, Within } from './within.ts'
import { leftOutOf, writeSeed } from './write.ts'

export async function exportProject(parts: Parts, actor: AuditActor, { id, name }: ProjectRow, format: Format) {
  return written(name, await readProject(new Within(parts, actor, id)), format)
}

/** The text of a Project in a format, and what it leaves out. */
export async function written(project: string, present: Present, format: Format) {
  if (format === 'seed') return { text: writeSeed(project, present), left_out: leftOutOf(present) }
  const { writeTerraform } = await import('./terraform.ts')
  return writeTerraform(present)
}
