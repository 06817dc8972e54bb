/**
 * `npm run bench -- --check`: whether the program got slower. Five rounds measure the processor time of what it does, each
 * beside the program of the commit before and a bare server. What seems to be lost is measured once more, with servers
 * that are started anew: then chance would have to say the same twice.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAdmin, createDatabase, startPostgres } from '../../test/kit/database/postgres.ts'
import { type Asked, Refusal } from '../options.ts'
import type { Workshop } from '../processes.ts'
import { buildBefore, commitBefore } from './before.ts'
import { type Figures, figuresOf, keepFigures, machineClass } from './figures.ts'
import { judge, type Round, rounds, told, type Verdict } from './judge.ts'
import { bareAnswer, bareWork, costOf, type Work, works } from './measures.ts'
import { type Opened, Side } from './side.ts'

const tree = join(import.meta.dirname, '../..')
const figuresFile = join(import.meta.dirname, 'figures.json')
/** Slices of work before the first round, so that code is compiled that will be. */
const warmSlices = 8
/** Slices of each round, of which the cheaper half counts: what else goes on only ever adds. */
const slices = 4

/** Checks the program in `dist`; returns whether it held. Errors: `Refusal` when there is nothing to compare with. */
export async function check(workshop: Workshop, { keep, against }: NonNullable<Asked['check']>): Promise<boolean> {
  const begin = performance.now()
  const machine = machineClass()
  const kept = figuresOf(figuresFile, machine)
  console.log(`machine: ${machine}${kept ? '' : ', a class of which the tree has no figures'}`)
  const before = await programBefore(workshop, against)
  if (!before && !kept && !keep)
    throw new Refusal('there is nothing to compare with, unless --keep keeps figures first')
  const verdicts = await judged(workshop, before, kept)
  console.log(told(verdicts))
  if (keep) keepFigures(figuresFile, machine, Object.fromEntries(verdicts.map(({ name, now }) => [name, now])))
  console.log(`${Math.round((performance.now() - begin) / 1_000)} s`)
  return keep || verdicts.every(({ isLost }) => !isLost)
}

async function programBefore(workshop: Workshop, against: string | undefined): Promise<string | undefined> {
  const { commit, says } = await commitBefore(tree, against)
  console.log(says)
  if (!commit) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'wolke-before-'))
  workshop.keep(async () => rmSync(folder, { recursive: true, force: true }))
  const built = await buildBefore(tree, commit, folder)
  for (const line of built.says) console.log(line)
  return built.program
}

/** What is measured, and what sends the load. */
interface Subjects {
  /** The program, and after it that of the commit before. */
  readonly sides: readonly Side[]
  readonly bare: Pick<Opened, 'sqlite'>
  readonly generate: ReturnType<Workshop['generator']>
}

async function judged(workshop: Workshop, before: string | undefined, kept: Figures | undefined): Promise<Verdict[]> {
  const programs = [join(tree, 'dist/main.js'), ...(before ? [before] : [])]
  const bare = { sqlite: await workshop.bare([bareAnswer]) }
  const subjects = { sides: await sidesOf(workshop, programs), bare, generate: workshop.generator() }
  const all = works(subjects.generate)
  const first = await measured(subjects, all, kept)
  const lost = first.filter(({ isLost }) => isLost).map(({ name }) => name)
  if (lost.length === 0) return first
  console.log(`${told(first)}\nonce more: ${lost.join(', ')}`)
  const some = all.filter(({ name }) => lost.includes(name))
  const again = await measured(subjects, some, kept)
  return first.map((verdict) => again.find(({ name }) => name === verdict.name) ?? verdict)
}

async function sidesOf(workshop: Workshop, programs: readonly string[]): Promise<Side[]> {
  const server = await startPostgres()
  workshop.keep(() => server.stop())
  const sides: Side[] = []
  for (const [index, program] of programs.entries()) {
    const directory = workshop.file('side')
    mkdirSync(directory)
    const { url } = await createDatabase(server.url)
    // Each has addresses of its own, where its balancer listens.
    const side = new Side(directory, { program, postgres: url, net: `127.${45 + index}` })
    workshop.keep(() => side.close())
    sides.push(side)
  }
  await closeAdmin()
  return sides
}

/** Measures some work in servers that are started for it. */
async function measured(
  { sides, bare, generate }: Subjects,
  some: readonly Work[],
  kept: Figures | undefined,
): Promise<Verdict[]> {
  console.error('starting servers ...')
  const opened: Opened[] = []
  for (const side of sides) opened.push(await side.open())
  const beside = bareWork(generate)
  const found = some.map((work) => ({
    name: work.name,
    rounds: [] as Round[],
    costs: opened.map((one) => () => costOf(work, one)),
  }))
  const bareCosts = [() => costOf(beside, bare)]
  console.error('warming up ...')
  for (const costs of [bareCosts, ...found.map(({ costs }) => costs)]) {
    for (let slice = 0; slice < warmSlices; slice++) for (const cost of costs) await cost()
  }
  for (let round = 1; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds} ...`)
    const [unit] = await cheapest(bareCosts)
    for (const { rounds, costs } of found) {
      const [now, before] = await cheapest(costs)
      rounds.push({ now: now!, bare: unit!, ...(before === undefined ? {} : { before }) })
    }
  }
  for (const one of opened) await one.stop()
  return found.map(({ name, rounds }) => judge(name, rounds, kept?.[name]))
}

/** What each of these costs in the cheaper half of its slices, which take turns there and back. */
async function cheapest(costs: readonly (() => Promise<number>)[]): Promise<number[]> {
  const found = costs.map((cost) => ({ cost, all: [] as number[] }))
  for (let slice = 0; slice < slices; slice++) {
    for (const { cost, all } of slice % 2 === 0 ? found : found.toReversed()) all.push(await cost())
  }
  return found.map(({ all }) => mean(all.sort((a, b) => a - b).slice(0, slices / 2)))
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
