/** The address at which programs find the API that this page came from. */
import { publicBase, storageUrlOf } from '../../src/kernel/contract/bases.ts'
import { sh } from '../commands/shell.ts'

/**
 * The origin for commands. Browsers find `*.localhost` on their own machine by themselves; most programs ask a name
 * server, which knows no such name. A name with TLS stays, because the certificate is for it.
 */
export function originForPrograms({ protocol, hostname, port, origin }: Origin): string {
  return protocol === 'http:' && hostname.endsWith('.localhost') ? `http://127.0.0.1${port && `:${port}`}` : origin
}

/** The base URL of the public API for programs. */
export const apiForPrograms = (origin: Origin) => `${originForPrograms(origin)}${publicBase}`

/**
 * Points the programs of a shell at an API, and nowhere else: what newer ones ask of Storage Boxes they ask at a second
 * endpoint, with the same token.
 */
export function exportedEndpoints(api: string): string {
  return sh`export HCLOUD_ENDPOINT=${api} HETZNER_ENDPOINT=${storageUrlOf(api)}`
}

/** A command that is shown for itself, after what makes hcloud ask this API. */
export function pointed(command: string, api: string): string {
  return command.startsWith('hcloud ') ? `${exportedEndpoints(api)}\n${command}` : command
}

export type Origin = Pick<URL, 'protocol' | 'hostname' | 'port' | 'origin'>
