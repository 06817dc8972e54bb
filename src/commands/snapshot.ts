/** `wolke snapshot` keeps states of a running lab, and takes them to other machines as files. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { wolkeBase } from '../kernel/contract/bases.ts'
import { syncToDisk } from '../kernel/process/private-file.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, printList } from './output.ts'
import { header } from './seed.ts'

interface SnapshotOptions extends ListOptions {
  readonly endpoint?: string
  readonly token?: string
  readonly readyFile?: string
}

/** A running server, and who asks it. */
interface Server {
  readonly url: string
  readonly token: string
}

export function snapshotCommand(): Command {
  const command = new Command('snapshot').description('keep states of a running lab, also in files for other machines')
  const own = (name: string, description: string) =>
    serverOptions().reduce((made, option) => made.addOption(option), command.command(name).description(description))
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

function serverOptions(): Option[] {
  return [
    new Option('--endpoint <url>', 'where the server is, such as http://127.0.0.1:8080').env('WOLKE_ENDPOINT'),
    new Option('--token <token>', 'the token of the lab, or a management token')
      .env('WOLKE_LAB_TOKEN')
      .argParser(header),
    new Option('--ready-file <path>', 'the ready file of the server, which has both').env('WOLKE_READY_FILE'),
  ]
}

type Action = (name: string, file: string | undefined, options: SnapshotOptions, command: Command) => Promise<void>

const save: Action = async (name, file, _, command) => {
  const server = serverOf(command)
  if (file !== undefined) checkWritable(file)
  await ask(server, 'PUT', pathOf(name))
  if (file !== undefined) writeWhole(file, await ask(server, 'GET', `${pathOf(name)}/file`, { accept: octets }))
  console.log(`Snapshot ${name} saved${file === undefined ? '' : ` to ${file}`}`)
}

const load: Action = async (name, file, _, command) => {
  const server = serverOf(command)
  if (file !== undefined) await ask(server, 'PUT', `${pathOf(name)}/file`, { 'content-type': octets }, readWhole(file))
  await ask(server, 'POST', `${pathOf(name)}/restore`)
  console.log(`Snapshot ${name} loaded${file === undefined ? '' : ` from ${file}`}`)
}

async function list(options: SnapshotOptions, command: Command): Promise<void> {
  const server = serverOf(command)
  const answer = await ask(server, 'GET', '/snapshots')
  await printList(console.log, snapshotsIn(server, answer), options, ({ name, now, size }) => [name, now, size])
}

async function remove(name: string, _: SnapshotOptions, command: Command): Promise<void> {
  await ask(serverOf(command), 'DELETE', pathOf(name))
  console.log(`Snapshot ${name} deleted`)
}

const octets = 'application/octet-stream'
const pathOf = (name: string) => `/snapshots/${encodeURIComponent(name)}`

/** Flags win over a ready file that a flag names, which wins over the environment. */
function serverOf(command: Command): Server {
  const options = command.opts<SnapshotOptions>()
  const isFlag = (name: keyof SnapshotOptions) => command.getOptionValueSource(name) === 'cli'
  const ready = options.readyFile === undefined ? {} : readyIn(options.readyFile)
  const choose = (name: 'endpoint' | 'token', inFile: string | undefined) =>
    isFlag('readyFile') && !isFlag(name) ? (inFile ?? options[name]) : (options[name] ?? inFile)
  const [url, token] = [choose('endpoint', ready.base_url), choose('token', ready.lab_token)]
  if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandFailure('--endpoint or --ready-file has to name a server', 2)
  if (token === undefined) throw new CommandFailure('--token or --ready-file has to give a token', 2)
  return { url: new URL(url).origin + wolkeBase, token }
}

interface Ready {
  readonly base_url?: string
  readonly lab_token?: string
}

/** Errors: `CommandFailure`, which has nothing of the file: a token is in it. */
function readyIn(path: string): Ready {
  const text = readText(path)
  try {
    const { base_url, lab_token } = JSON.parse(text)
    for (const one of [base_url, lab_token])
      if (one !== undefined && typeof one !== 'string') throw new TypeError('it is no text')
    return { base_url, ...(lab_token === undefined ? {} : { lab_token: header(lab_token) }) }
  } catch {
    throw new CommandFailure('--ready-file: must have base_url, and a token as lab_token', 2)
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandFailure(`--ready-file: ${(error as Error).message}`, 2)
  }
}

interface Snapshot {
  readonly name: string
  readonly now: string
  readonly size: number
}

function snapshotsIn({ url }: Server, answer: Buffer): readonly Snapshot[] {
  try {
    const { snapshots }: { readonly snapshots: readonly Snapshot[] } = JSON.parse(answer.toString())
    return snapshots.map(({ name, now, size }) => ({ name, now, size }))
  } catch {
    throw new CommandFailure(`${url} answered something else than this API`)
  }
}

async function ask(
  { url, token }: Server,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: Uint8Array<ArrayBuffer> | null = null,
): Promise<Buffer> {
  const [answer, bytes] = await send(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  }).catch((error: Error) => {
    throw new CommandFailure(`${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`)
  })
  if (!answer.ok) throw new CommandFailure(refusalIn(answer.status, bytes.toString()))
  return bytes
}

async function send(url: string, request: RequestInit): Promise<[Response, Buffer]> {
  const answer = await fetch(url, request)
  return [answer, Buffer.from(await answer.arrayBuffer())]
}

/** The message of an answer, with the fields that it names. */
function refusalIn(status: number, text: string): string {
  try {
    const { message, details } = JSON.parse(text).error
    const fields = (details?.fields ?? []) as { name: string; messages: string[] }[]
    return [message, ...fields.map(({ name, messages }) => `${name} ${messages.join(', ')}`)].join(': ')
  } catch {
    return `the server answers ${status} ${text.slice(0, 200).replaceAll(/\s+/g, ' ')}`
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
