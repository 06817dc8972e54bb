/** Measures how long it takes to come in by SSH, by the doors of Storage Boxes and by OpenSSH with the same client. */
import { readFileSync } from 'node:fs'
import ssh2 from 'ssh2'
import type { Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'
import { accounts, password, type Site } from './storage-sites.ts'

type Proof = { readonly password: string } | { readonly privateKey: Buffer }

/** Comes in and leaves; returns how long it took to be in, in milliseconds. */
async function enter({ port }: Site, username: string, proof: Proof): Promise<number> {
  const started = performance.now()
  const client = new ssh2.Client()
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve).once('error', reject)
      client.connect({ host: '127.0.0.1', port, username, ...proof })
    })
    return performance.now() - started
  } finally {
    client.end()
  }
}

/** By key beside OpenSSH, and by a password, which costs a hash the first time and none later. */
export async function sshLogins(wolke: Site, bare: Site, { rounds }: Effort): Promise<Row[]> {
  const byKey = (site: Site) => {
    const privateKey = readFileSync(site.key)
    return () => enter(site, site.user, { privateKey })
  }
  // Others have not come in by a password yet.
  const fresh = accounts.slice(-2 * rounds - 1)
  const known = fresh[0]!
  await enter(wolke, known, { password })
  const keys = await inTurns(2 * rounds + 1, { wolke: byKey(wolke), bare: byKey(bare) })
  const passwords = await inTurns(2 * rounds, {
    wolke: () => enter(wolke, fresh.pop()!, { password }),
    bare: () => enter(wolke, known, { password }),
  })
  return [
    { name: 'storage, login by SSH with a key', unit: 'ms', ...keys },
    {
      name: 'storage, login by SSH with a password',
      unit: 'ms',
      ...passwords,
      note: 'bare: one that was right before',
    },
  ]
}
