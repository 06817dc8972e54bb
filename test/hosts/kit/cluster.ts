/** How the cluster of a lab is named to Wolke, and what is made on it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { currentLab, type Lab } from '../../../lab/lab.ts'
import { hostsOptionsOf as labOptionsOf } from '../../../lab/serve.ts'
import type { ClusterOptions } from '../../../src/drivers/hosts/options.ts'
import type { Database } from '../../../src/kernel/data/db.ts'
import { output } from './guests.ts'

/** The lab that this process runs in. Errors: one that says how to start one. */
export function theLab(): Lab {
  const lab = currentLab()
  if (!lab) throw new Error('these tests run in a lab: npm run test:hosts')
  return lab
}

/** The options of the drivers. */
export function clusterOf(lab: Lab): ClusterOptions {
  const read = (path: string) => readFileSync(path, 'utf8')
  const certificates = {
    clientCertificate: read(lab.incus.clientCertificate),
    clientKey: read(lab.incus.clientKey),
    serverCertificate: read(lab.incus.serverCertificate),
  }
  const { authority, certificate, key } = lab.ovn
  return {
    name: 'lab',
    incus: lab.incus.urls.map((url) => ({ url, certificates })),
    ovn: {
      remotes: [lab.ovn.northbound],
      tls: { ca: read(authority), certificate: read(certificate), key: read(key) },
    },
    uplink: lab.names.uplink,
    publicNetwork: lab.names.network,
    pool: lab.names.pool,
    instanceType: 'container',
    nameServers: [lab.outside.ipv4],
    // Servers of the tests use little of what they are promised.
    overcommit: 16,
    metadata: `${lab.metadata.host}:${lab.metadata.port}`,
  }
}

/** The options of `wolke infrastructure`. */
export const hostsOptionsOf = (lab: Lab): string[] => Object.entries(labOptionsOf(lab)).flat()

/** The options of `wolke serve`, with a part of the public addresses that the server of this process has none of. */
export const optionsOf = (lab: Lab): string[] => [
  ...hostsOptionsOf(lab),
  '--address-pool',
  `${lab.pools.ipv4.replace('.0.0/16', '.2.0')}/24,${lab.pools.ipv6}`,
]

/** Wolke numbers what it makes from here on, so that hosts that remember earlier tests take nothing for what they removed. */
export async function numberFromNow(db: Database): Promise<void> {
  await db.transact(async ({ query }) => {
    if (db.dialect.shared) await sql`select setval('id_sequence', ${Date.now()})`.execute(query)
    else {
      await sql`insert into id_sequence (only, next) values (1, ${Date.now()})
        on conflict (only) do update set next = excluded.next`.execute(query)
    }
  })
}

/** What servers on hosts are made of. */
export const onHosts = { location: 'hel1', image: 'debian-12', type: 'cpx22', largerType: 'cpx32' }

/** Makes a pair of keys for SSH in a folder. */
export async function makeKey(folder: string): Promise<{ readonly file: string; readonly publicKey: string }> {
  const file = join(folder, 'key')
  await output(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file])
  return { file, publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
}
