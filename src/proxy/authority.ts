/**
 * The certificate authority of `wolke proxy`: a folder with its certificate, which programs are told to trust, and its
 * key. It is limited to the host names of the API, so that nobody gains anything else from trusting it.
 */
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/process/clock.ts'
import { createFolderOf } from '../kernel/process/private-file.ts'
import { isOnlyFor, issue, makeRoot, type Root } from '../protocols/net/x509-issuing.ts'
import { ecdsa } from '../protocols/net/x509-writing.ts'

/** A certificate with its key, both in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** The file to trust. */
  readonly certificateFile: string
  /** Returns an identity for all hosts that is valid for hours at least: the last one, or a new one. */
  identity(): Promise<Identity>
}

export interface AuthorityOptions {
  readonly folder: string
  /** Lower-case names. */
  readonly hosts: readonly string[]
  readonly clock: Clock
}

const dayMs = 86_400_000
/** Clocks of clients may be slow. */
const backdatedMs = 3_600_000
const rootLifetimeMs = 3_650 * dayMs

/**
 * Opens the authority of a folder, and makes both when there is no such folder. Throws an error for the operator when the
 * folder holds none, one for other hosts, or a key that others can read.
 */
export async function openAuthority({ folder, hosts, clock }: AuthorityOptions): Promise<Authority> {
  const certificateFile = join(folder, 'ca.pem')
  const keyFile = join(folder, 'ca.key')
  if (!existsSync(certificateFile)) await makeAuthority(folder, hosts, clock.now())
  const certificate = readFileSync(certificateFile, 'utf8')
  if (!(await isOnlyFor(certificate, hosts))) {
    throw new Error(`the authority in ${folder} is for other hosts; name another folder for this one`)
  }
  const root: Root = { certificate, privateKey: readKey(keyFile) }
  let current: (Identity & { readonly untilMs: number }) | undefined
  return {
    certificateFile,
    async identity() {
      const nowMs = clock.now()
      // Half of its life is left to whoever is shown it now.
      if (!current || nowMs > current.untilMs - dayMs / 2) {
        current = { ...(await newIdentity(root, hosts, nowMs)), untilMs: nowMs + dayMs }
      }
      return current
    },
  }
}

/** Makes the folder, which appears whole: another process may be about to make it as well. */
async function makeAuthority(folder: string, hosts: readonly string[], nowMs: number): Promise<void> {
  const { certificate, privateKey } = await makeRoot({
    name: 'wolke proxy',
    validity: validity(nowMs, rootLifetimeMs),
    onlyFor: hosts,
  })
  createFolderOf(folder)
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft)
  try {
    writeFileSync(join(draft, 'ca.key'), pemOfKey(privateKey), { mode: 0o600 })
    writeFileSync(join(draft, 'ca.pem'), certificate)
    renameSync(draft, folder)
  } catch (error) {
    if (!/^(ENOTEMPTY|EEXIST|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    if (!existsSync(join(folder, 'ca.pem'))) throw new Error(`${folder} is something else already; name another folder`)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function readKey(file: string): webcrypto.CryptoKey {
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others; fix that with chmod go= ${file}`)
  }
  return createPrivateKey(readFileSync(file)).toCryptoKey(ecdsa, false, ['sign'])
}

async function newIdentity(root: Root, hosts: readonly string[], nowMs: number): Promise<Identity> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  const cert = await issue(root, { publicKey, domains: hosts, validity: validity(nowMs, dayMs) })
  return { cert, key: pemOfKey(privateKey) }
}

const validity = (nowMs: number, lifetimeMs: number) => ({
  notBefore: new Date(nowMs - backdatedMs),
  notAfter: new Date(nowMs + lifetimeMs),
})

const pemOfKey = (key: webcrypto.CryptoKey) => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
