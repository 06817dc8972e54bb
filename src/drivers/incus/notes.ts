/**
 * What Wolke notes about a cluster as a whole: keys of a profile that no instance uses, so that every process that drives
 * the same hosts reads the same.
 */
import type { Incus } from './client.ts'
import { edit } from './edit.ts'
import type { Config } from './names.ts'

const profile = 'wolke'
const path = `/1.0/profiles/${profile}`
const installation = 'user.installation'

/** All notes. Errors: `DriverError`. */
export async function notesOf(incus: Incus): Promise<Config> {
  return (await incus.get<{ config: Config }>(path))?.value.config ?? {}
}

/** Replaces all notes by what a function makes of them; undefined leaves them as they are. Errors: `DriverError`. */
export async function editNotes(incus: Incus, change: (notes: Config) => Config | undefined): Promise<void> {
  const isThere = await edit<{ config: Config; description: string }>(incus, path, ({ config, description }) => {
    const next = change(config)
    return next && { description, config: next }
  })
  const first = isThere ? undefined : change({})
  if (first) await incus.change('POST', '/1.0/profiles', { name: profile, config: first })
}

/** The installation of Wolke whose hosts these are; undefined before the first. Errors: `DriverError`. */
export async function ownerOf(incus: Incus): Promise<string | undefined> {
  return (await notesOf(incus))[installation]
}

/** Makes these the hosts of an installation. Errors: `DriverError`. */
export function claim(incus: Incus, owner: string): Promise<void> {
  return editNotes(incus, (notes) => (notes[installation] === owner ? undefined : { ...notes, [installation]: owner }))
}
