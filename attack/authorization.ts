/** Sends every request as every kind of caller: nobody may read or change resources of others. */
import { generateToken } from '../src/kernel/access/token-text.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { dump } from '../test/kit/database/dump.ts'
import { type Client, makeClient, type World } from '../test/kit/harness.ts'
import { neverExisted } from '../test/kit/proof.ts'
import { references, samples } from '../test/kit/proofs.ts'
import { eras, prepare, type Ready } from '../test/kit/requests.ts'
import { type Attack, atLeast, type Context, none } from './attack.ts'
import { remoteWorld } from './installation.ts'

interface Caller {
  readonly name: string
  readonly client: Client
  readonly headers?: Record<string, string>
  /** No valid token, read-only token, read-only token of another Project, or read-write token of another Project. */
  readonly is: 'stranger' | 'own read-only' | 'foreign read-only' | 'foreign'
}

interface Found {
  readonly wrong: string[]
  readonly leaks: string[]
  readonly changes: string[]
  requests: number
}

export const authorization: Attack = {
  name: 'authorization',
  databases: ['sqlite', 'postgres'],
  async run(context: Context) {
    const installation = await context.install()
    const server = await installation.serve()
    const { db, close } = await installation.open()
    const [own, other] = installation.tenants
    const world = remoteWorld(server, own, db)
    const base = `${server.url}${publicBase}`
    const mistyped = own.readOnly.slice(0, 4) + own.readOnly.slice(4).split('').reverse().join('')
    const as = (
      name: string,
      token: string | undefined,
      is: Caller['is'],
      headers?: Record<string, string>,
    ): Caller => ({
      name,
      client: makeClient(base, token),
      is,
      ...(headers ? { headers } : {}),
    })
    const callers: Caller[] = [
      as('no token', undefined, 'stranger'),
      as('another scheme', undefined, 'stranger', { authorization: `Basic ${own.readWrite}` }),
      as('the token without its scheme', undefined, 'stranger', { authorization: own.readWrite }),
      as('a token that was never given out', generateToken(), 'stranger'),
      as('a token with a wrong checksum', mistyped, 'stranger'),
      as('a read-only token', own.readOnly, 'own read-only'),
      as('a read-only token with a method override', own.readOnly, 'own read-only', {
        'x-http-method-override': 'GET',
      }),
      as('a foreign token', other.readWrite, 'foreign'),
      as('a foreign read-only token', other.readOnly, 'foreign read-only'),
    ]
    const found: Found = { wrong: [], leaks: [], changes: [], requests: 0 }
    const everyone = eras[0]!.some
    const some = everyone.filter(() => context.scale === 'long' || context.random.chance(0.1))
    for (const row of some) {
      const ready = await prepare(world, row)
      await world.settle()
      const before = await dump(db, own.projectId)
      for (const caller of callers) await ask(ready, caller, found)
      if ((await dump(db, own.projectId)) !== before) found.changes.push(row.name)
    }
    await nameForeign(world, makeClient(base, other.readWrite), found)
    await close()
    await server.stop()
    return [
      atLeast(
        'every endpoint is asked by every kind of caller',
        found.requests,
        'requests',
        some.length * callers.length,
      ),
      none('each is refused as promised: 401, token_readonly or 404', 'wrong answers', found.wrong, context),
      none('no answer holds anything of another Project', 'leaks', found.leaks, context),
      none('nothing of a Project changes by requests that are not its own', 'changed by', found.changes, context),
    ]
  },
}

async function ask(ready: Ready, caller: Caller, found: Found): Promise<void> {
  const { row, target } = ready
  const answer = await ready.send(caller.client, undefined, caller.headers)
  found.requests++
  const got = `${answer.status} ${answer.body?.error?.code ?? ''}`.trim()
  const wanted = expected(ready, caller)
  const what = `${row.endpoint.method} ${row.endpoint.path} by ${caller.name}`
  if (wanted ? got !== wanted : answer.status >= 500) found.wrong.push(`${what}: ${got} ${wanted ?? ''}`)
  const isTheirs = caller.is.startsWith('own') || samples[row.family]!.isShared
  // A refusal may repeat the requested id, so only successes count as leaks.
  if (!isTheirs && answer.status < 400 && answer.text.includes(String(target.id))) found.leaks.push(what)
}

/** The expected status and code; undefined when the caller may do this in its own Project. */
function expected({ row: { endpoint, family } }: Ready, { is }: Caller): string | undefined {
  if (is === 'stranger') return '401 unauthorized'
  if (is.endsWith('read-only') && endpoint.method !== 'GET') return '401 token_readonly'
  if (is === 'own read-only' || samples[family]!.isShared) return undefined
  return endpoint.path.includes('{') ? '404 not_found' : undefined
}

/** Naming a resource of another Project must get the same response as naming one that never existed. */
async function nameForeign(world: World, foreign: Client, found: Found): Promise<void> {
  for (const [name, { family, body }] of Object.entries(references)) {
    const { id } = await samples[family]!.prepare(world)
    const [group = '', key = ''] = name.split(' ')[0]!.split('.')
    const row = eras[0]!.some.find((one) => one.name === `${group}.${key}`)
    if (!row) throw new Error(`there is no endpoint ${name}`)
    const own = row.endpoint.path.includes('{') ? (await samples[group]!.prepare({ ...world, api: foreign })).id : 0
    const path = row.endpoint.path.replace('{id}', String(own))
    const send = (named: number) => foreign.post(path, body(named))
    const [theirs, never] = [await send(id), await send(neverExisted)]
    found.requests += 2
    const normal = (text: string, named: number) => text.replaceAll(String(named), 'ID')
    if (theirs.status < 400) found.leaks.push(`${name} takes a resource of another Project`)
    else if (normal(theirs.text, id) !== normal(never.text, neverExisted)) found.leaks.push(`${name}: ${theirs.text}`)
  }
}
