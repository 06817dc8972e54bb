/** `wolke snapshot` keeps states of a running lab, and takes them to other machines as files. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { syncToDisk } from '../kernel/process/private-file.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, printList } from './output.ts'
import { ask, type RunningLab, type RunningLabOptions, runningLabOf, runningLabOptions } from './running-lab.ts'

interface SnapshotOptions extends ListOptions, RunningLabOptions {}

export function snapshotCommand(): Command {
  const command = new Command('snapshot').description('keep states of a running lab, also in files for other machines')
  const own = (name: string, description: string) =>
    runningLabOptions().reduce((made, option) => made.addOption(option), command.command(name).description(description))
  own('save', 'keep the present state under a name, and write it to a file if one is given')
    .addArgument(nameArgument())
    .argument('[file]')
    .action(save)
  own('load', 'put the cloud into a state that was kept, or into that of a file')
    .addArgument(nameArgument())
    .argument('[file]')
    .action(load)
  own('list', 'list the states that are kept: name, time of the clock, bytes').addOption(jsonOption()).action(list)
  own('delete', 'forget a state that was kept').addArgument(nameArgument()).action(remove)
  return command
}

/** The server checks names, too, but never sees those that lead elsewhere in a path. */
function nameArgument(): Argument {
  return new Argument('<name>').argParser((name) => {
    if (/^\.{0,2}$/.test(name)) throw new InvalidArgumentError('must be a name, which . and .. are not')
    return name
  })
}

type Action = (name: string, file: string | undefined, options: SnapshotOptions, command: Command) => Promise<void>

const save: Action = async (name, file, _, command) => {
  const server = runningLabOf(command)
  if (file !== undefined) checkWritable(file)
  await ask(server, 'PUT', pathOf(name))
  if (file !== undefined) writeWhole(file, await ask(server, 'GET', `${pathOf(name)}/file`, { accept: octets }))
  console.log(`Snapshot ${name} saved${file === undefined ? '' : ` to ${file}`}`)
}

const load: Action = async (name, file, _, command) => {
  const server = runningLabOf(command)
  if (file !== undefined) await ask(server, 'PUT', `${pathOf(name)}/file`, { 'content-type': octets }, readWhole(file))
  await ask(server, 'POST', `${pathOf(name)}/restore`)
  console.log(`Snapshot ${name} loaded${file === undefined ? '' : ` from ${file}`}`)
}

async function list(options: SnapshotOptions, command: Command): Promise<void> {
  const server = runningLabOf(command)
  const answer = await ask(server, 'GET', '/snapshots')
  await printList(console.log, snapshotsIn(server, answer), options, ({ name, now, size }) => [name, now, size])
}

async function remove(name: string, _: SnapshotOptions, command: Command): Promise<void> {
  await ask(runningLabOf(command), 'DELETE', pathOf(name))
  console.log(`Snapshot ${name} deleted`)
}

const octets = 'application/octet-stream'
const pathOf = (name: string) => `/snapshots/${encodeURIComponent(name)}`

interface Snapshot {
  readonly name: string
  readonly now: string
  readonly size: number
}

function snapshotsIn({ url }: RunningLab, answer: Buffer): readonly Snapshot[] {
  try {
    const { snapshots }: { readonly snapshots: readonly Snapshot[] } = JSON.parse(answer.toString())
    return snapshots.map(({ name, now, size }) => ({ name, now, size }))
  } catch {
    throw new CommandFailure(`${url} answered something else than this API`)
  }
}

function readWhole(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (error) {
    throw new CommandFailure((error as Error).message)
  }
}

const draftOf = (file: string) => `${file}.${process.pid}`

/** Errors: `CommandFailure` for a file that cannot be written. Nothing is left of the attempt. */
function checkWritable(file: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${file} is a folder`)
    closeSync(openSync(draftOf(file), 'wx', 0o600))
    rmSync(draftOf(file))
  } catch (error) {
    throw new CommandFailure((error as Error).message)
  }
}

/** Writes a file that is there whole or not at all, for its owner alone: it opens the secrets in it. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const draft = draftOf(file)
  try {
    const opened = openSync(draft, 'wx', 0o600)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at)
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
    renameSync(draft, file)
    syncToDisk(dirname(file))
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CommandFailure((error as Error).message)
  }
}
