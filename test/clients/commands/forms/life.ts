/** Projects that live the same life, and how to tell whether they do. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type KnownResource, needsManagement } from '../../../../console/commands/panel.ts'
import type { Asked } from '../../../../console/commands/request.ts'
import { pathOf } from '../../../../console/commands/request.ts'
import { createManagementToken } from '../../../../src/kernel/access/management-tokens.ts'
import { createProject } from '../../../../src/kernel/access/projects.ts'
import type { Need } from '../../../../src/kernel/access/roles.ts'
import { createToken } from '../../../../src/kernel/access/tokens.ts'
import { wolkeBase } from '../../../../src/kernel/contract/bases.ts'
import { timestamp } from '../../../../src/kernel/process/clock.ts'
import { allEndpoints, ownEndpoints } from '../../../../src/pages/openapi.ts'
import type { Client, World } from '../../../kit/harness.ts'
import { findProgram, run } from '../../kit/clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
type Json = any

interface Row {
  readonly method: string
  readonly path: string
  readonly base: string
  readonly needs: Need
}

const rows = new Map<string, Row>(
  [...allEndpoints(), ...ownEndpoints()].map(({ family, base, key, endpoint: { method, path, needs } }) => [
    `${family}_${key}`,
    { method, path, needs, base },
  ]),
)

export function rowOf(operation: string): Row {
  const row = rows.get(operation)
  assert.ok(row, `there is no operation ${operation}`)
  return row
}

/** A Storage Box has these parts, by the last part of their path. */
const partsOfBoxes: readonly string[] = ['snapshots', 'subaccounts']

const ofProjects = ['tokens', 'members', 'invitations', 'limits', 'people', 'projects'] as readonly string[]

/** What one can look at, by the name of its list in the API. */
const families = [
  'ssh_keys',
  'placement_groups',
  'networks',
  'volumes',
  'firewalls',
  'servers',
  'primary_ips',
  'floating_ips',
  'certificates',
  'load_balancers',
  'images',
  'zones',
  'rrsets',
  'storage_boxes',
  'snapshots',
  'subaccounts',
  'tokens',
  'members',
  'invitations',
  'limits',
  'people',
  'projects',
] as const
export type Family = (typeof families)[number]

/** Everything that there is in a Project. */
export const everything: readonly Family[] = families.filter((family) => !ofProjects.includes(family))

/** What a request may change: families of its path and name, servers, which show what they have, and their images. */
export function touchedBy({ operation }: Asked): readonly Family[] {
  const { base, path } = rowOf(operation)
  if (base === wolkeBase) return families.filter((family) => ofProjects.includes(family))
  const isOf = (family: Family) => family === path.split('/')[1] || operation.startsWith(`${family}_`)
  const isPartOf = (family: Family) => {
    const whole = family === 'rrsets' ? 'zones' : partsOfBoxes.includes(family) ? 'storage_boxes' : undefined
    return whole !== undefined && isOf(whole)
  }
  return families.filter((family) => ['servers', 'images'].includes(family) || isOf(family) || isPartOf(family))
}

/** A Project, what is in it, and a folder in which commands about it are pasted. */
export interface Life {
  /** What sets this one's names apart, where the installation has each name once. */
  readonly name: string
  readonly project: number
  /** What there was when one last looked, by the name of the family in the API. */
  one(family: Family, named: string): Json
  id(family: Family, named: string): number
  /** What its pages know of what a request is about. */
  known(operation: string, id: string | number | undefined): KnownResource | undefined
  /** Sends what a button sends. */
  send(asked: Asked): Promise<void>
  /** Pastes a text into a shell; `hcloud` is the path of that program. */
  paste(text: string, hcloud?: string): Promise<{ readonly code: number; readonly stderr: string }>
  /** Looks again at some families. Returns what can be the same in every Project. */
  look(at: readonly Family[]): Promise<unknown>
  end(): void
}

/** The name of a Project, by that of the life in it. */
export const projectOf = (name: string) => `Project of ${name}`

/** Begins a life in a new Project. */
export async function begin(world: World, name: string): Promise<Life> {
  const { project, ...tokens } = await newProject(world, name)
  const clients = { api: world.client(tokens.api), manager: world.client(tokens.management) }
  const read = reader(clients, { name, project, origin: new URL(world.baseUrl).origin })
  const shell = openShell({ HCLOUD_TOKEN: tokens.api, MANAGEMENT_TOKEN: tokens.management })
  let seen: Record<string, Json[]> = {}
  const one: Life['one'] = (family, named) => {
    const found = seen[family]?.find((each) => [each.name, each.description, each.email, each.ip].includes(named))
    assert.ok(found, `${name} has no ${named} among its ${family}: ${JSON.stringify(seen[family])}`)
    return found
  }
  return {
    name,
    project,
    one,
    id: (family, named) => one(family, named).id ?? one(family, named).person_id,
    known: (operation, id) => {
      const family = rowOf(operation).path.split('/')[1]!
      const found = seen[family]?.find((each) => each.id === id)
      return found && { ...found, family }
    },
    send: (asked) => send(world, clients, asked),
    async paste(text, hcloud) {
      const outcome = await shell.paste(text, hcloud)
      await world.settle()
      return outcome
    },
    async look(at) {
      const found = await Promise.all(at.map(async (family) => [family, await read(family)] as const))
      seen = { ...seen, ...Object.fromEntries(found) }
      return comparable(found, name)
    },
    end: shell.end,
  }
}

function newProject({ db }: World, name: string) {
  return db.transact(async (tx) => {
    const created = timestamp(tx.now)
    const { id: project } = await createProject(tx, projectOf(name), created)
    const api = await createToken(tx, { projectId: project, name: 'test', readOnly: false, created })
    const { token: management } = await createManagementToken(tx, { name: `of ${name}`, created })
    return { project, api, management }
  })
}

/** A client with a token of the Project, and one with a management token. */
interface Clients {
  readonly api: Client
  readonly manager: Client
}

/** Reads what there is of a family. A Project that is gone has nothing, and its token is none. */
function reader({ api, manager }: Clients, of: { name: string; project: number; origin: string }) {
  const list = async (path: string, family: string): Promise<Json[]> => {
    const isOwn = path.startsWith('/wolke')
    const { status, body, text } = await (isOwn ? manager.get(of.origin + path) : api.get(path))
    assert.ok(status === 200 || status === (isOwn ? 404 : 401), `${path}: ${text}`)
    return status === 200 ? body[family] : []
  }
  return async (family: Family): Promise<Json[]> => {
    if (family === 'people') {
      const people = await list('/wolke/v1/people', family)
      return people.filter(({ email }) => email.includes(`-${of.name}@`))
    }
    if (family === 'projects') {
      const projects = await list('/wolke/v1/projects?per_page=50', family)
      return projects.filter((each) => each.name.endsWith(` of ${of.name}`))
    }
    if (ofProjects.includes(family)) return list(`/wolke/v1/projects/${of.project}/${family}`, family)
    if (family === 'images') return list('/images?type=snapshot&type=backup', family)
    if (partsOfBoxes.includes(family)) {
      const boxes = await list('/storage_boxes', 'storage_boxes')
      return (await Promise.all(boxes.map(({ id }) => list(`/storage_boxes/${id}/${family}`, family)))).flat()
    }
    if (family !== 'rrsets') return list(`/${family}?per_page=50`, family)
    const zones = await list('/zones?mode=primary', 'zones')
    return (await Promise.all(zones.map(({ id }) => list(`/zones/${id}/rrsets`, family)))).flat()
  }
}

async function send(world: World, clients: Clients, asked: Asked): Promise<void> {
  const row = rowOf(asked.operation)
  const path = pathOf(asked, row)
  const client = needsManagement(row) ? clients.manager : clients.api
  const url = new URL(world.baseUrl).origin + row.base + path
  const { status, body, text } = await client.request(row.method, url, { body: asked.body })
  assert.ok(status < 300, `${asked.operation} ${JSON.stringify(asked.body)}: ${status} ${text}`)
  await world.settle()
  const made = Object.values((body ?? {}) as Record<string, Json>)[0]
  for (const operation of asked.afterwards ?? []) await send(world, clients, { operation, params: { id: made.id } })
}

/** A folder in which texts are pasted into shells. */
function openShell(tokens: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-forms-'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // What a command of curl is refused is its failure too.
  writeFileSync(join(folder, '.curlrc'), 'silent\nfail-with-body\nshow-error\n')
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, ...tokens, PATH: `${bin}${delimiter}${process.env.PATH}` }
  return {
    async paste(text: string, hcloud?: string) {
      const quick = `#!/bin/sh\nexec '${hcloud}' --poll-interval 5ms "$@"\n`
      if (hcloud) writeFileSync(join(bin, 'hcloud'), quick, { mode: 0o755 })
      const outcome = await run('sh', ['-ec', text], { cwd: folder, env })
      for (const file of ['certificate.pem', 'private-key.pem']) rmSync(join(folder, file), { force: true })
      return outcome
    },
    end() {
      const strays = readdirSync(folder).filter((file) => !['.curlrc', 'bin', '.config', '.cache'].includes(file))
      rmSync(folder, { recursive: true })
      assert.deepEqual(strays, [], 'something of a text ran')
    },
  }
}

export const hasCurl = findProgram('curl') !== undefined

/** Every id is higher than any other number. */
const leastId = 10_000_000_000
const idForm = /(?<!\d)\d{11}(?!\d)/g

/** What tells one Project from another is left out; ids are numbered in the order in which their owners were made. */
function comparable(value: unknown, name: string): unknown {
  const text = JSON.stringify(value)
  const found = [...text.matchAll(idForm)].map(([digits]) => Number(digits)).filter((id) => id >= leastId)
  const places = new Map([...new Set(found)].sort((a, b) => a - b).map((id, place) => [id, `id ${place}`]))
  const settled = (one: unknown): unknown => {
    if (typeof one === 'number') return places.get(one) ?? one
    if (typeof one === 'string')
      return withoutAddresses(one.replaceAll(name, '<name>').replaceAll(idForm, (id) => places.get(Number(id)) ?? id))
    if (Array.isArray(one)) return one.map(settled)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(
      Object.entries(one).map(([key, each]) => [
        key,
        isDrawn(key, one) && each !== null ? '<drawn>' : isNone(key, each) ? null : settled(each),
      ]),
    )
  }
  return settled(value)
}

/** What follows from an id, or is drawn by lot. */
const drawn = ['mac_address', 'backup_window', 'ends_with', 'system']
const ofManaged = ['certificate', 'fingerprint']
/** hcloud gives Floating IPs an empty description where it is told none. */
const isNone = (key: string, value: unknown) => key === 'description' && value === ''
const isDrawn = (key: string, of: object) =>
  drawn.includes(key) || (ofManaged.includes(key) && (of as Json).type === 'managed')

/** Public addresses are handed out in turn, and have names after them. */
function withoutAddresses(text: string): string {
  if (/^static\..*\.clients\./.test(text)) return '<its name>'
  return text
    .replaceAll(/(192[.-]0[.-]2|198[.-]51[.-]100|203[.-]0[.-]113)[.-]\d+/g, '<address>')
    .replaceAll(/2001:db8:[0-9a-f:]+/g, '<address>')
}
