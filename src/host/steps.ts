/**
 * The steps that make a host of a machine. A step looks at the machine to see what there is to do: files that differ, and
 * whatever else it asks. It says what it would do in the words of a shell, does it, and undoes what it made.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Journal, Replaced, StepRecord } from './journal.ts'
import type { Shell } from './shell.ts'

/** A file that a step writes whole. */
export interface WrittenFile {
  readonly path: string
  readonly text: string
  /** The usual one is 644. */
  readonly mode?: number
  /** The group that may read it, by its number. */
  readonly group?: number
  /** A secret is not shown. */
  readonly isSecret?: boolean
}

/** A script of sh that a step runs, with its arguments. */
export interface RunScript {
  readonly name: string
  readonly text: string
  readonly args?: readonly string[]
}

export interface Step {
  /** The name of the step in the journal. */
  readonly name: string
  readonly title: string
  /** Files that the step writes before its scripts run. */
  files?(): Promise<readonly WrittenFile[]>
  /** True when the machine is as the step wants it, besides the files. */
  isSo(): Promise<boolean>
  /** The scripts that are run, in their order. */
  scripts(): readonly RunScript[] | Promise<readonly RunScript[]>
  /** True for a step that has to be done whenever one before it has. */
  readonly isAfterAll?: boolean
  /** What the step has to know of the machine before it changes it, to undo that. */
  note?(made: StepRecord): Promise<void>
  /** What has to happen beside files and scripts, after them. */
  finish?(made: StepRecord): Promise<void>
  /** Undoes the scripts; files are put back afterwards. */
  undo?(made: StepRecord): Promise<void>
}

/** Prints one line. */
export type Say = (line: string) => void

/** Tells whether a step has nothing to do. */
async function isDone(step: Step): Promise<boolean> {
  for (const file of (await step.files?.()) ?? []) if (!isWritten(file)) return false
  return step.isSo()
}

function isWritten({ path, text, mode = 0o644, group }: WrittenFile): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || (found.mode & 0o777) !== mode || (group !== undefined && found.gid !== group)) return false
  return readFileSync(path, 'utf8') === text
}

/** Does what is not so yet, one step after the other. Returns the number of steps that had something to do. */
export async function doSteps<D>(steps: readonly Step[], journal: Journal<D>, shell: Shell, say: Say): Promise<number> {
  let done = 0
  for (const step of steps) {
    const before = journal.of(step.name)
    if ((await isDone(step)) && (before === undefined || before.isDone)) {
      say(`${step.title}: is so`)
      continue
    }
    done += 1
    const started = performance.now()
    say(`${step.title} ...`)
    await doStep(step, journal, shell)
    say(`${step.title}: done (${((performance.now() - started) / 1_000).toFixed(1)} s)`)
  }
  return done
}

async function doStep<D>(step: Step, journal: Journal<D>, shell: Shell): Promise<void> {
  const made = journal.begin(step.name)
  made.isDone = false
  await step.note?.(made)
  journal.save()
  for (const file of (await step.files?.()) ?? []) {
    const found = made.files[file.path]
    const wrote = digestOf(file.text)
    if (found) found.wrote = wrote
    else made.files[file.path] = { before: before(file.path), wrote }
    journal.save()
    write(file)
  }
  for (const { name, text, args = [] } of await step.scripts()) await shell.script(name, text, args)
  await step.finish?.(made)
  made.isDone = true
  journal.save()
}

const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

function before(path: string): Replaced['before'] {
  if (!existsSync(path)) return null
  return { content: readFileSync(path).toString('base64'), mode: statSync(path).mode & 0o777 }
}

function write({ path, text, mode = 0o644, group }: WrittenFile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, text, { mode })
  chmodSync(path, mode)
  if (group !== undefined) chownSync(path, 0, group)
}

/** Says what each step would do, in the words of a shell. */
export async function planSteps(steps: readonly Step[], say: Say): Promise<void> {
  let isAllSo = true
  for (const step of steps) {
    if ((isAllSo || !step.isAfterAll) && (await isDone(step))) {
      say(`${step.title}: is so`)
      continue
    }
    isAllSo = false
    say(`${step.title}: to do`)
    for (const file of (await step.files?.()) ?? []) if (!isWritten(file)) sayFile(file, say)
    for (const script of await step.scripts()) sayScript(script, say)
  }
}

function sayFile({ path, text, isSecret = false }: WrittenFile, say: Say): void {
  say(`  ${existsSync(path) ? 'replace' : 'write'} ${path}:`)
  for (const line of isSecret ? ['(not shown)'] : text.trimEnd().split('\n')) say(`    ${line}`.trimEnd())
}

function sayScript({ name, text, args = [] }: RunScript, say: Say): void {
  say(`  run ${[name, ...args.map(quoted)].join(' ')}:`)
  const isHead = (line: string) => /^(#.*|set -eu|)$/.test(line)
  const lines = text.trimEnd().split('\n')
  for (const line of lines.slice(lines.findIndex((one) => !isHead(one)))) say(`    ${line}`.trimEnd())
}

const quoted = (text: string) => (/^[\w./:,=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Undoes what the journal has, the last step first. What is not in the journal stays. */
export async function undoSteps<D>(steps: readonly Step[], journal: Journal<D>, say: Say): Promise<void> {
  for (const step of steps.toReversed()) {
    const made = journal.of(step.name)
    if (!made) continue
    say(`${step.title}: undo`)
    await step.undo?.(made)
    for (const [path, replaced] of Object.entries(made.files)) putBack(path, replaced, say)
    journal.forget(step.name)
  }
  journal.remove()
}

/** Puts back what was there before. What somebody else has written since stays beside it. */
function putBack(path: string, { before, wrote }: Replaced, say: Say): void {
  if (existsSync(path) && digestOf(readFileSync(path)) !== wrote) {
    const kept = `${path}.before-undo`
    copyFileSync(path, kept)
    say(`  ${path} was changed since: kept as ${kept}`)
  }
  if (before === null) {
    rmSync(path, { force: true })
    removeIfEmpty(dirname(path))
  } else {
    writeFileSync(path, Buffer.from(before.content, 'base64'))
    chmodSync(path, before.mode)
  }
}

/** A folder in which nothing else is was made for the file. */
function removeIfEmpty(path: string): void {
  const isOurs = path.startsWith('/etc/wolke/') || path.endsWith('.service.d')
  if (isOurs && existsSync(path) && readdirSync(path).length === 0) rmdirSync(path)
}
