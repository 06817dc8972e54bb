/** Says where the console is, notes it for the links of commands, and makes the link of a first start. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { fileOf, isInMemory } from '../kernel/data/dialect.ts'
import type { Logger } from '../kernel/process/log.ts'
import { createFolderOf } from '../kernel/process/private-file.ts'
import { noteConsoleOrigin } from '../people/console-origin-store.ts'
import { hasAdmin } from '../people/person-store.ts'
import { makeSetupLink, makeTesterLink } from '../people/setup.ts'
import { keyFileOf } from './keyring.ts'

/** The page to begin at. */
export interface ConsoleLink {
  readonly url: string
  /** The same place by address, for browsers that do not know the name. */
  readonly byAddress: string | undefined
  /** The purpose of the link, besides leading to the console. */
  readonly purpose: 'sign in' | 'set up' | 'meet admins' | 'name admins' | undefined
  /** The file that holds the link too. */
  readonly file: string | undefined
}

/**
 * Makes the link of this start: one that signs a tester in when the data is in memory, one that makes the first
 * administrator while there is none, and otherwise no more than the address of the console. Where only the identity
 * provider lets in, no link makes an administrator: those are named by an option, and sign in.
 */
export async function makeConsoleLink(
  { people }: App,
  config: Config,
  { apiUrl, log }: { readonly apiUrl: string; readonly log: Logger },
): Promise<ConsoleLink> {
  const { origin } = new URL(apiUrl)
  const [public_] = config.publicUrl
  const named = nameOf(origin, people.installation)
  await noteConsoleOrigin(people.db, public_ ?? origin)
  const at = (path: string) => ({
    url: `${public_ ?? named ?? origin}/console${path}`,
    byAddress: public_ === undefined && named !== undefined ? `${origin}/console${path}` : undefined,
  })
  if (isInMemory(config.database)) {
    return { ...at(`/enter#${await makeTesterLink(people.db)}`), purpose: 'sign in', file: undefined }
  }
  const file = join(dirname(fileOf(config.database) ?? keyFileOf(config)), 'setup-link')
  if (people.settings.isOidcOnly && !(await hasAdmin(people.db.query))) {
    rmSync(file, { force: true })
    const purpose = config.oidcAdmins.length > 0 ? 'meet admins' : 'name admins'
    if (purpose === 'name admins') log.warn('nobody can administer this installation: --oidc-only needs --oidc-admins')
    return { ...at('/login'), purpose, file: undefined }
  }
  const secret = await makeSetupLink(people.db)
  if (secret === undefined) {
    rmSync(file, { force: true })
    return { ...at(''), purpose: undefined, file: undefined }
  }
  const link = at(`/setup#${secret}`)
  return { ...link, purpose: 'set up', file: isWritten(file, link.url, log) ? file : undefined }
}

/** The name of this machine that no other installation on it shares, so that cookies do not get mixed up. */
function nameOf(origin: string, installation: string): string | undefined {
  const { protocol, hostname, port } = new URL(origin)
  const isHere = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '0.0.0.0'
  return protocol === 'http:' && isHere ? `http://wolke-${installation}.localhost:${port || 80}` : undefined
}

/** Writes the file for its owner alone, and never in part. The link was printed as well, so a start does not depend on it. */
function isWritten(path: string, url: string, log: Logger): boolean {
  try {
    createFolderOf(path)
    const draft = `${path}.${process.pid}`
    rmSync(draft, { force: true })
    writeFileSync(draft, `${url}\n`, { mode: 0o600 })
    renameSync(draft, path)
    return true
  } catch (error) {
    log.warn({ err: error }, 'the file setup-link cannot be written')
    return false
  }
}
