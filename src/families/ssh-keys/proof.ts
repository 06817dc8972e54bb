import { randomBytes } from 'node:crypto'
import { named, namedState, removes, renames, showsNamed } from '../../../test/kit/crash.ts'
import {
  anyLabels,
  anyName,
  anyRename,
  conflict,
  done,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { serverBody } from '../servers/proof.ts'

/** An ed25519 public key that nobody has. */
export function publicKey(): string {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))])
  return `ssh-ed25519 ${blob.toString('base64')}`
}

const body = () => ({ name: unique('key'), public_key: publicKey() })

const prepare: Samples['prepare'] = async ({ api }) => ({ id: (await done(api.post('/ssh_keys', body()))).ssh_key.id })

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: { ssh_keys: showsNamed },
  writes: {
    'POST /ssh_keys': (draw) => ({ body: { ...named(draw), public_key: publicKey() }, makes: namedState(draw) }),
    'PUT /ssh_keys/{ssh_keys}': renames,
    'DELETE /ssh_keys/{ssh_keys}': removes,
  },
}

export const proof: Proof = {
  samples: { prepare, requests: { create: () => ({ body: body() }), update: rename('key') } },
  references: {
    'servers.create ssh_keys': { family: 'ssh_keys', body: (id) => serverBody(unique('server'), { ssh_keys: [id] }) },
    'servers.enableRescue ssh_keys': { family: 'ssh_keys', body: (id) => ({ ssh_keys: [id] }) },
  },
  errors: {
    'ssh_keys.create': {
      uniqueness_error: takenTwice('/ssh_keys', body),
      resource_limit_exceeded: overLimit('ssh_keys', '/ssh_keys', body),
    },
    'ssh_keys.update': {
      uniqueness_error: takenName('ssh_keys', prepare),
      conflict: conflict('ssh_keys', 'ssh_key', prepare),
    },
  },
  consistency: { resources: 'ssh_key' },
  traffic: {
    kind: 'ssh_key',
    requests: {
      'POST /ssh_keys': (draw) => ({ name: anyName('k', draw), public_key: publicKey(), labels: anyLabels(draw) }),
      'PUT /ssh_keys/{ssh_keys}': anyRename('k'),
      'DELETE /ssh_keys/{ssh_keys}': noBody,
    },
    adds: { 'POST /servers': async ({ any }) => ({ ssh_keys: [(await any('ssh_keys')).id] }) },
  },
  crash,
}
