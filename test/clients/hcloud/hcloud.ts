/**
 * The hcloud command line, unmodified and in two generations, and the form in which the tests beside this file say what
 * its users say: steps, each a command and what comes of it. `{server web id}` in a step is what describing that server
 * shows at `id`; without a path it is the id.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { builtIn } from '../../../src/catalogue/built-in.ts'
import type { CatalogueData } from '../../../src/catalogue/catalogue.ts'
import { installHcloud, type Outcome, run, type Service, serve, skipWithout } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'

// biome-ignore lint/suspicious/noExplicitAny: the client prints replies of every shape
export type Json = any

/** A command line of one generation against a server of its own. */
export interface Hcloud {
  /** Its minor version: 30 is version 1.30. */
  readonly minor: number
  readonly service: Service
  /** Runs a command to its end. Words with spaces are quoted with `'`. */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<Outcome>
}

export interface Step {
  (hcloud: Hcloud): Promise<void>
  /** Whether a version has anything to do here; every one has where it does not say. */
  readonly isFor?: (minor: number) => boolean
}

/** What a test of the command line is: its steps share files in the folder in which the commands run. */
export interface Story {
  readonly title: string
  readonly files?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

/** Which command lines take the stories of a file, each on a database of its own. */
export type Generations = readonly (readonly [name: 'old' | 'new' | 'newest', database: 'memory' | 'sqlite'])[]

const packaged: Generations = [
  ['old', 'memory'],
  ['new', 'sqlite'],
]

/**
 * Declares the tests of a file: the same stories with the two generations that distributions package, or those that are
 * named, without those of which a generation could take no step; `options` are further ones of the server.
 */
export async function tells(
  path: string,
  stories: readonly Story[],
  options: readonly string[] = [],
  generations: Generations = packaged,
): Promise<void> {
  const all = await Promise.all(
    generations.map(async ([name, database]) => ({ name, database, installed: await installHcloud(name) })),
  )
  // No distribution has the newest yet, and not every place can build it.
  const programs = all.filter(({ name, installed }) => installed || name !== 'newest')
  // Commands mostly wait for actions, so the generations do so together.
  describe('hcloud', { concurrency: 2 }, () => {
    for (const { name, database, installed } of programs) {
      describe(`the ${name} one, on ${database}`, { concurrency: 1 }, () => {
        if (!installed) return void it('is driven', (t) => skipWithout(t, 'hcloud is not installed'))
        let hcloud: Hcloud | undefined
        before(async () => {
          hcloud = against(await serve(database, options), installed)
        })
        after(() => hcloud?.service.stop())
        const isFor = (step: Step) => step.isFor?.(installed.minor) ?? true
        for (const story of stories.filter(({ steps }) => steps.some(isFor))) {
          it(story.title, () => tell(hcloud!, story))
        }
      })
    }
  })
  if (programs.length > 0) drivesWhatIsSaid(path)
}

async function tell(hcloud: Hcloud, { files = {}, steps }: Story): Promise<void> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(hcloud.service.folder, name), text)
  for (const step of steps) await step(hcloud)
}

function against(service: Service, { program, minor }: { program: string; minor: number }): Hcloud {
  return {
    minor,
    service,
    run: (line, env = {}) => {
      const words = line.match(/(?:[^\s']|'[^']*')+/g) ?? []
      const args = ['--poll-interval', '5ms', ...words.map((word) => word.replaceAll("'", ''))]
      return run(program, args, { env: { ...service.env, ...env }, cwd: service.folder })
    },
  }
}

/** The last story of a file: there is nothing left of these kinds. */
export const leavesNothing = (...kinds: readonly string[]): Story => ({
  title: 'leaves nothing behind',
  steps: kinds.map((kind) => lists(`${kind} list`, [])),
})

/** The option of a server whose catalogue is the built-in one with this in it; the file goes away after the tests. */
export function withCatalogue(more: Partial<CatalogueData>): string {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-catalogue-'))
  after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'catalogue.json')
  writeFileSync(path, JSON.stringify({ ...builtIn, ...more }))
  return `--catalogue=${path}`
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

/** The command succeeds; what it prints has all of this, whatever the white space. */
export function works(line: string, ...printed: readonly (string | RegExp)[]): Step {
  return async (hcloud) => {
    const { code, stdout, stderr } = await hcloud.run(await fill(hcloud, line))
    assert.equal(code, 0, `${line}\n${stderr}`)
    // Some versions print what they have done where others print errors.
    const output = plain(stdout + stderr)
    for (const one of printed) {
      if (typeof one !== 'string') assert.match(output, one, line)
      else assert.ok(output.includes(await fill(hcloud, one)), `${line}\nprints no '${one}':\n${output}`)
    }
  }
}

/** Describing this resource shows at least this. What is null may be left out, as newer versions do. */
export const shows = (resource: string, expected: object): Step => says(describing(resource), expected)

/** The command prints JSON with at least this. */
export function says(line: string, expected: object): Step {
  return async (hcloud) => {
    const wanted = await fillAll(hcloud, expected)
    assert.deepEqual(among(JSON.parse(await succeeds(hcloud, `${line} -o json`)), wanted), wanted, line)
  }
}

/** The list has exactly these, by name or by what `key` selects. */
export function lists(line: string, expected: readonly (string | number)[], key = 'name'): Step {
  return async (hcloud) => {
    const entries: Json[] = JSON.parse(await succeeds(hcloud, `${line} -o json`)) ?? []
    const found = entries.map((entry) => entry[key])
    assert.deepEqual(found, await fillAll(hcloud, expected), line)
  }
}

/** The server refuses the command with this code and a message that has this. */
export function refused(line: string, code: string, message: string | RegExp = /./): Step {
  return async (hcloud) => {
    const outcome = await hcloud.run(await fill(hcloud, line))
    assert.equal(outcome.code, 1, `${line} went through\n${outcome.stdout}`)
    // Versions before 1.44 do not show the correlation id.
    const form = hcloud.minor >= 44 ? /^hcloud: (.*) \((\w+), [0-9a-f]+\)$/m : /^hcloud: (.*) \((\w+)\)$/m
    const [, text = '', said] = form.exec(outcome.stderr) ?? []
    assert.equal(said, code, `${line}\n${outcome.stderr}`)
    if (typeof message !== 'string') assert.match(text, message, line)
    else assert.ok(text.endsWith(await fill(hcloud, message)), `${line}\n${outcome.stderr}`)
  }
}

/** The command line itself refuses the command, having looked up what it names. */
export function misused(line: string, message: RegExp): Step {
  return async (hcloud) => {
    const outcome = await hcloud.run(await fill(hcloud, line))
    assert.equal(outcome.code, 1, `${line} went through\n${outcome.stdout}`)
    assert.match(outcome.stderr, message, line)
  }
}

/** The measurements of a type are exactly these series. */
export function measures(kind: string, name: string, type: string, series: readonly string[]): Step {
  return async (hcloud) => {
    const { metrics } = JSON.parse(await succeeds(hcloud, `${kind} metrics ${name} --type ${type} -o json`))
    assert.deepEqual(Object.keys(metrics.time_series).sort(), series.toSorted())
  }
}

/** Steps for versions from this minor one on; older ones have no such command or option. */
export const since = (minor: number, ...steps: readonly Step[]): Step => only((its) => its >= minor, steps)

/** Steps for versions before this minor one. */
export const until = (minor: number, ...steps: readonly Step[]): Step => only((its) => its < minor, steps)

function only(isFor: (minor: number) => boolean, steps: readonly Step[]): Step {
  const take = async (hcloud: Hcloud) => {
    if (isFor(hcloud.minor)) for (const step of steps) await step(hcloud)
  }
  return Object.assign(take, { isFor })
}

// ---- What commands print -------------------------------------------------------------------------------------------

/** Runs a command that must succeed, and gives what it prints. */
export async function succeeds(hcloud: Hcloud, line: string): Promise<string> {
  const { code, stdout, stderr } = await hcloud.run(await fill(hcloud, line))
  assert.equal(code, 0, `${line}\n${stderr}`)
  return stdout
}

/** What describing a resource shows, as JSON. */
export async function described(hcloud: Hcloud, resource: string): Promise<Json> {
  return JSON.parse(await succeeds(hcloud, `${describing(resource)} -o json`))
}

/** The command that describes a resource, which is its kind and its name. */
const describing = (resource: string) => resource.replace(' ', ' describe ')

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const references = /\{([a-z-]+ [^{} ]+(?: [\w.]+)?)\}/g

/** Replaces what stands in braces by what describing the resource shows. */
async function fill(hcloud: Hcloud, text: string): Promise<string> {
  let filled = text
  for (const [found, reference] of text.matchAll(references)) {
    filled = filled.replace(found, String(await valueAt(hcloud, reference!)))
  }
  return filled
}

async function fillAll(hcloud: Hcloud, value: Json): Promise<Json> {
  if (typeof value === 'string') {
    const [[found, reference] = []] = value.matchAll(references)
    return found === value ? valueAt(hcloud, reference!) : fill(hcloud, value)
  }
  if (Array.isArray(value)) return Promise.all(value.map((one) => fillAll(hcloud, one)))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(async ([key, one]) => [key, await fillAll(hcloud, one)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function valueAt(hcloud: Hcloud, reference: string): Promise<Json> {
  const [kind, name, path = 'id'] = reference.split(' ')
  const value = path.split('.').reduce((at: Json, key) => at?.[key], await described(hcloud, `${kind} ${name}`))
  assert.notEqual(value, undefined, `${kind} ${name} shows no ${path}`)
  return value
}

const isObject = (value: Json) => value !== null && typeof value === 'object' && !(value instanceof RegExp)

/** The part of a value that an expected one speaks of; what matches an expected pattern becomes that pattern. */
function among(value: Json, expected: Json): Json {
  if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value) ? expected : value
  if (Array.isArray(expected)) {
    const isAlike = Array.isArray(value) && value.length === expected.length
    return isAlike ? value.map((one, at) => among(one, expected[at])) : value
  }
  if (!isObject(expected) || !isObject(value) || Object.keys(expected).length === 0) return value ?? null
  return Object.fromEntries(Object.keys(expected).map((key) => [key, among(value[key], expected[key])]))
}

// ---- What many stories begin with ----------------------------------------------------------------------------------

/** Makes a server in Helsinki; `more` are further options. */
export const makesServer = (name: string, more = ''): Step =>
  works(`server create --name ${name} --type cpx22 --image debian-12 --location hel1 ${more}`, /server \d+ created/i)

/** Deletes resources of a kind. */
export const deletes =
  (kind: string, ...names: readonly string[]): Step =>
  async (hcloud) => {
    for (const name of names) await succeeds(hcloud, `${kind} delete ${name}`)
  }
