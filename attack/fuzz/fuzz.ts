/** Sends valid and hostile values to every endpoint of api/openapi.json: no answer may be a 5xx. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from '../../bench/processes.ts'
import { publicKey } from '../../src/families/ssh-keys/proof.ts'
import { familyOfType } from '../../src/families.ts'
import type { Answer, Client } from '../../test/kit/harness.ts'
import { samples } from '../../test/kit/proofs.ts'
import { eras } from '../../test/kit/requests.ts'
import { selfSigned } from '../../test/kit/samples/certificates.ts'
import { type Attack, atLeast, type Context, none } from '../attack.ts'
import { client, type Installation, remoteWorld } from '../installation.ts'
import type { Random } from '../random.ts'
import { allNastyTexts, type Known, type Schema, spoiled, type Taste, valueFor } from './values.ts'

interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** The operations of a path, by method, and where it is when it is not where most are. */
type Path = Readonly<Record<string, Omit<Operation, 'method' | 'path'>>> & { readonly servers?: unknown }

interface OpenApi {
  readonly paths: Readonly<Record<string, Path>>
}

/** The operations of the document of the API. */
export function readOperations(): Operation[] {
  const text = readFileSync(join(import.meta.dirname, '../../api/openapi.json'), 'utf8')
  const document = JSON.parse(text) as OpenApi
  return Object.entries(dereferenced(document.paths, document)).flatMap(([path, { servers: _, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** Replaces each `$ref` in a value by the part of the document that it points to. */
function dereferenced<T>(value: T, document: unknown): T {
  if (Array.isArray(value)) return value.map((item) => dereferenced(item, document)) as T
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return dereferenced(partOf(document, String(value.$ref)) as T, document)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dereferenced(inner, document)])) as T
}

/** The part of a document at a pointer such as `#/components/schemas/action`. */
function partOf(document: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((part, step) => (part as Record<string, unknown>)[step], document)
}

/** Resources seen in answers, newest last, by the path of their family. */
class Seen {
  readonly #ids: Map<string, number[]>

  constructor(base: ReadonlyMap<string, number[]>) {
    this.#ids = new Map(base)
  }

  add(family: string, id: unknown): void {
    if (typeof id !== 'number') return
    const ids = this.#ids.get(family) ?? []
    this.#ids.set(family, [...ids.slice(-30), id])
  }

  pick(family: string, random: Random): number {
    const ids = this.#ids.get(family) ?? []
    return ids.length > 0 && random.chance(0.9) ? random.pick(ids) : random.below(1_000_000)
  }

  /** Records the resources in an answer: `server: {...}`, `servers: [...]`, `actions: [...]`. */
  note(body: Answer['body']): void {
    for (const [key, value] of Object.entries(body ?? {})) {
      for (const one of [value].flat()) this.add(familyOfType(key), (one as { id?: unknown } | null)?.id)
    }
  }
}

const pair = selfSigned('www.example.com')

/** Values for fields whose meaning goes beyond their type. */
function knownValues(seen: Seen): Known {
  const id = (family: string) => (random: Random) => seen.pick(family, random)
  const address = (random: Random) => `198.51.100.${random.below(256)}`
  return {
    server_type: (random) => random.pick(['cx23', 'cpx22', 'cax11']),
    image: (random) => random.pick<unknown>(['debian-12', 'ubuntu-24.04', seen.pick('images', random)]),
    location: () => 'hel1',
    home_location: () => 'hel1',
    datacenter: () => undefined,
    server: (random) => (random.chance(0.5) ? seen.pick('servers', random) : { id: seen.pick('servers', random) }),
    firewall: id('firewalls'),
    ssh_keys: (random) => [seen.pick('ssh_keys', random)],
    public_key: publicKey,
    certificate: () => pair.certificate,
    private_key: () => pair.private_key,
    name: (random) =>
      `${random.pick(['zone', 'name', 'www'])}-${random.below(400)}${random.chance(0.5) ? '.example' : ''}`,
    rr_name: (random) => random.pick(['www', '@', `name-${random.below(400)}`]),
    rr_type: (random) => random.pick(['A', 'TXT', 'MX', 'SOA']),
    mode: () => 'primary',
    zonefile: () => '@ SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1.wolke.example.\nwww A 192.0.2.1',
    value: address,
    ip: address,
    dns_ptr: () => 'www.example.com',
    source_ips: () => ['0.0.0.0/0', '::/0'],
    destination_ips: () => ['::/0'],
    port: (random) => random.pick(['22', '80-90', 'any']),
    protocol: (random) => random.pick(['tcp', 'udp', 'icmp']),
    direction: () => 'in',
    label_selector: (random) => (random.chance(0.5) ? 'key-1=v1' : { selector: 'key-1' }),
    sort: (random) => random.pick(['id', 'name:desc', 'created:asc']),
    domain_names: (random) => [`name-${random.below(400)}.example`],
    type: (random) => random.pick(['A', 'server', 'label_selector', 'ipv4', 'snapshot', 'uploaded', 'managed']),
  }
}

/** A request in parts that can be replaced one by one. */
interface Draft {
  readonly operation: Operation
  readonly inPath: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

function draft(operation: Operation, seen: Seen, taste: Taste): Draft {
  const { random, known, nastiness } = taste
  const family = operation.path.split('/')[1]!
  const valueInPath = (name: string): unknown => {
    if (random.chance(nastiness)) return random.pick(allNastyTexts)
    if (name === 'action_id' || /^(\/\w+)?\/actions\/\{id\}$/.test(operation.path)) return seen.pick('actions', random)
    return known[name]?.(random) ?? seen.pick(family, random)
  }
  const declared = (where: string) => operation.parameters.filter((parameter) => parameter.in === where)
  const inPath = Object.fromEntries(declared('path').map(({ name }) => [name, valueInPath(name)]))
  const some = declared('query').filter(() => random.chance(0.2))
  const query = Object.fromEntries(some.map(({ name, schema }) => [name, [valueFor(schema, name, taste)].flat()[0]]))
  const schema = operation.requestBody?.content['application/json']?.schema
  return { operation, inPath, query, ...(schema ? { body: valueFor(schema, '', taste) } : {}) }
}

/** Yields copies of a draft with one hostile value each: for each place, a share of all hostile values. */
function* spoiledDrafts(given: Draft, random: Random, share: number): Generator<Draft> {
  for (const { name, in: where } of given.operation.parameters) {
    const part = where === 'path' ? 'inPath' : 'query'
    for (const bad of allNastyTexts)
      if (random.chance(share)) yield { ...given, [part]: { ...given[part], [name]: bad } }
  }
  if (given.body === undefined) return
  for (const body of spoiled(given.body, random, share)) yield { ...given, body }
}

function pathOf({ operation, inPath, query }: Draft): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]))
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
  return search.length > 0 ? `${path}?${search.join('&')}` : path
}

/** Percent-encodes a value; a lone surrogate, which cannot be encoded, is sent as its three bytes. */
function encoded(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.slice(0, 2_000).isWellFormed() ? encodeURIComponent(text.slice(0, 2_000)) : '%ed%a0%80'
}

/** Makes operations rarer that delete what the others need. */
function weighted(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap((operation) => Array<Operation>(operation.method === 'DELETE' ? 1 : 3).fill(operation))
}

export const fuzz: Attack = {
  name: 'fuzz',
  databases: ['sqlite', 'postgres'],
  async run(context: Context) {
    const { random } = context
    const installation = await context.install()
    const server = await installation.serve()
    const base = await prepareAll(installation, server)
    const operations = readOperations()
    const choices = weighted(operations)
    const api = client(server, installation.tenants[0])
    const wrong: string[] = []
    const succeeded = new Set<string>()
    let sent = 0
    // Each client knows only its own resources, so that timing does not change what it does.
    const one = async (numbers: Random, mine: readonly Operation[]) => {
      const seen = new Seen(base)
      const known = knownValues(seen)
      const make = (operation: Operation, nastiness: number) =>
        draft(operation, seen, { random: numbers, known, nastiness })
      const shoot = async (aim: Draft) => {
        sent++
        const { problem, success } = await send(api, aim, seen)
        if (problem) wrong.push(problem)
        if (success) succeeded.add(aim.operation.operationId)
        return success
      }
      for (let i = 0; i < count; i++) await shoot(make(numbers.pick(choices), numbers.pick([0, 0, 0, 0.05, 0.3])))
      for (const operation of mine) {
        // A request with a single flaw gets further than one with many.
        let given = make(operation, 0)
        for (let tries = 0; tries < 5 && !(await shoot(given)); tries++) given = make(operation, 0)
        for (const bad of spoiledDrafts(given, numbers, context.size(0.006, 0.5))) await shoot(bad)
      }
    }
    const clients = context.size(4, 12)
    const count = context.size(200, 6_000) / clients
    const share = (i: number) => operations.filter((_, n) => n % clients === i)
    await Promise.all(Array.from({ length: clients }, (_, i) => one(random.fork(), share(i))))
    const alive = server.isAlive() ? [] : ['the process ended']
    await server.stop()
    return [
      none('fuzzed requests get no 5xx, and each refusal its envelope', 'wrong answers', wrong, context),
      atLeast('requests are fuzzed', sent, 'requests', count * clients),
      none('fuzzed requests do not end the process', 'ends', alive, context),
      atLeast(
        'fuzzed requests reach what endpoints do',
        succeeded.size,
        `of ${operations.length} endpoints`,
        context.size(30, 60),
      ),
    ]
  },
}

/** Creates two resources of each family, by the path of the family. */
async function prepareAll(installation: Installation, server: Running) {
  const { db, close } = await installation.open()
  const world = remoteWorld(server, installation.tenants[0], db)
  const ids = new Map<string, number[]>()
  for (const family of new Set(eras[0]!.some.map((row) => row.family))) {
    const { prepare } = samples[family]!
    ids.set(family, [(await prepare(world)).id, (await prepare(world)).id])
  }
  await world.settle()
  await close()
  return ids
}

/** Whether the request succeeded, and what is wrong with the answer, if anything. */
async function send(api: Client, aim: Draft, seen: Seen): Promise<{ success: boolean; problem?: string }> {
  const { operation } = aim
  const path = pathOf(aim)
  const body = aim.body === undefined ? undefined : JSON.stringify(aim.body)
  const failed = (reason: string) => {
    const what = `${operation.method} ${path} ${body?.slice(0, 300) ?? ''}: ${reason}`
    return { success: false, problem: what }
  }
  try {
    const answer = await api.request(operation.method, path, body === undefined ? {} : { body })
    if (answer.status < 300) {
      seen.note(answer.body)
      return { success: true }
    }
    const isRefusal = answer.status < 500 && typeof answer.body?.error?.code === 'string'
    return isRefusal ? { success: false } : failed(`${answer.status} ${answer.text.slice(0, 200)}`)
  } catch (error) {
    return failed(`${(error as Error).message} ${(error as Error).cause ?? ''}`)
  }
}
