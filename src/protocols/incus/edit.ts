/** Changes to what is in Incus, each made of what was read: one that somebody else was faster with begins anew. */
import { type ChangeOptions, type Found, type Incus, IncusError } from './client.ts'

/** The configuration of what is in Incus, key by key. */
export type Config = Readonly<Record<string, string>>

/** The part of an instance that can be changed, as Incus tells it. */
export interface Instance {
  readonly name: string
  /** The member that it is on; `none` without a cluster. */
  readonly location: string
  readonly status: string
  readonly type: 'container' | 'virtual-machine'
  readonly architecture: string
  readonly description: string
  readonly ephemeral: boolean
  readonly profiles: readonly string[]
  readonly config: Config
  readonly devices: Readonly<Record<string, Config>>
}

/** Returns what something is to be from now on; undefined to leave it as it is. */
export type Change<T> = (current: T) => object | undefined

const mostAttempts = 8
const preconditionFailed = 412

/**
 * Replaces what is at a path by what a function makes of it, and answers what was there; undefined when there is nothing.
 * Nothing that anybody else changes meanwhile is lost. Errors: `DriverError`.
 */
export async function edit<T>(
  incus: Incus,
  path: string,
  change: Change<T>,
  options: ChangeOptions & { readonly method?: 'PUT' | 'PATCH' } = {},
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const found: Found<T> | undefined = await incus.get<T>(path)
    const next = found && change(found.value)
    if (!found || !next) return found?.value
    try {
      await incus.change(options.method ?? 'PUT', path, next, { ...options, etag: found.etag })
      return found.value
    } catch (error) {
      const isLate = error instanceof IncusError && error.status === preconditionFailed
      if (!isLate || attempt === mostAttempts) throw error
    }
  }
}

/** Replaces devices and configuration of an instance by its name. Errors: `DriverError`. */
export function editInstance(
  incus: Incus,
  name: string,
  change: (current: Instance) => Partial<Pick<Instance, 'config' | 'devices'>> | undefined,
): Promise<Instance | undefined> {
  return edit<Instance>(incus, `/1.0/instances/${name}`, (current) => {
    const changed = change(current)
    if (!changed) return undefined
    const { architecture, description, ephemeral, profiles, config, devices } = { ...current, ...changed }
    return { architecture, description, ephemeral, profiles, config, devices }
  })
}

/** Takes devices away from the instances that use something, such as a network. `usedBy` are paths of Incus. */
export async function unplug(
  incus: Incus,
  usedBy: readonly string[],
  isMeant: (device: Config, instance: Instance) => boolean,
): Promise<void> {
  for (const path of usedBy) {
    const name = /^\/1\.0\/instances\/([^/?]+)/.exec(path)?.[1]
    if (!name) continue
    await editInstance(incus, name, (instance) => {
      const kept = Object.entries(instance.devices).filter(([, device]) => !isMeant(device, instance))
      if (kept.length === Object.keys(instance.devices).length) return undefined
      return { devices: Object.fromEntries(kept) }
    })
  }
}
