/**
 * Notes of Wolke about a cluster as a whole: keys of the project, so that every process that drives the same hosts reads
 * the same. Incus tells the members nothing of a change of a project, so that it does not wait for one that is gone.
 */
import type { Incus } from '../../protocols/incus/client.ts'
import { type Config, edit } from '../../protocols/incus/edit.ts'

const path = '/1.0/projects/default'
const installation = 'user.wolke.installation'

/** All notes. Errors: `DriverError`. */
export async function notesOf(incus: Incus): Promise<Config> {
  return (await incus.get<{ config: Config }>(path))?.value.config ?? {}
}

/** Replaces all notes by what a function makes of them; undefined leaves them as they are. Errors: `DriverError`. */
export async function editNotes(incus: Incus, change: (notes: Config) => Config | undefined): Promise<void> {
  await edit<{ config: Config; description: string }>(incus, path, ({ config, description }) => {
    const next = change(config)
    return next && { description, config: next }
  })
}

/** The installation of Wolke whose hosts these are; undefined before the first. Errors: `DriverError`. */
export async function ownerOf(incus: Incus): Promise<string | undefined> {
  return (await notesOf(incus))[installation]
}

/** Makes these the hosts of an installation. Errors: `DriverError`. */
export function claim(incus: Incus, owner: string): Promise<void> {
  return editNotes(incus, (notes) => (notes[installation] === owner ? undefined : { ...notes, [installation]: owner }))
}
