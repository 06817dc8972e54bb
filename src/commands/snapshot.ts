/** `wolke snapshot` keeps states of a running lab, and takes them to other machines as files. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command, Option } from 'commander'
import { wolkeBase } from '../kernel/contract/bases.ts'
import { syncToDisk } from '../kernel/process/private-file.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, printList } from './output.ts'

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
  own('save <name> [file]', 'keep the present state under a name, and write it to a file if one is given').action(save)
  own('load <name> [file]', 'put the cloud into a state that was kept, or into that of a file').action(load)
  own('list', 'list the states that are kept: name, time of the clock, bytes').addOption(jsonOption()).action(list)
  own('delete <name>', 'forget a state that was kept').action(remove)
  return command
}

function serverOptions(): Option[] {
  return [
    new Option('--endpoint <url>', 'where the server is, such as http://127.0.0.1:8080').env('WOLKE_ENDPOINT'),
    new Option('--token <token>', 'the token of the lab, or a management token').env('WOLKE_LAB_TOKEN'),
    new Option('--ready-file <path>', 'the ready file of the server, which has both').env('WOLKE_READY_FILE'),
  ]
}

async function save(name: string, file: string | undefined, options: SnapshotOptions): Promise<void> {
  const server = serverOf(options)
  await ask(server, 'PUT', pathOf(name))
  if (file !== undefined) {
    const answer = await ask(server, 'GET', `${pathOf(name)}/file`, { accept: octets })
    writeWhole(file, Buffer.from(await answer.arrayBuffer()))
  }
  console.log(`Snapshot ${name} saved${file === undefined ? '' : ` to ${file}`}`)
}

async function load(name: string, file: string | undefined, options: SnapshotOptions): Promise<void> {
  const server = serverOf(options)
  if (file !== undefined) await ask(server, 'PUT', `${pathOf(name)}/file`, { 'content-type': octets }, readWhole(file))
  await ask(server, 'POST', `${pathOf(name)}/restore`)
  console.log(`Snapshot ${name} loaded${file === undefined ? '' : ` from ${file}`}`)
}

async function list(options: SnapshotOptions): Promise<void> {
  const answer = await ask(serverOf(options), 'GET', '/snapshots')
  const { snapshots } = (await answer.json()) as { snapshots: { name: string; now: string; size: number }[] }
  await printList(console.log, snapshots, options, ({ name, now, size }) => [name, now, size])
}

async function remove(name: string, options: SnapshotOptions): Promise<void> {
  await ask(serverOf(options), 'DELETE', pathOf(name))
  console.log(`Snapshot ${name} deleted`)
}

const octets = 'application/octet-stream'
const pathOf = (name: string) => `/snapshots/${encodeURIComponent(name)}`

function serverOf({ endpoint, token, readyFile }: SnapshotOptions): Server {
  const ready = readyFile === undefined ? {} : readyIn(readyFile)
  const [url = ready.base_url, own = token ?? ready.lab_token] = [endpoint]
  if (url === undefined || !URL.canParse(url))
    throw new CommandFailure('--endpoint or --ready-file has to name a server', 2)
  if (own === undefined) throw new CommandFailure('--token or --ready-file has to give a token', 2)
  return { url: new URL(url).origin + wolkeBase, token: own }
}

function readyIn(path: string): { readonly base_url?: string; readonly lab_token?: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new CommandFailure(`--ready-file: ${(error as Error).message}`, 2)
  }
}

async function ask(
  { url, token }: Server,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: Uint8Array<ArrayBuffer> | null = null,
): Promise<Response> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    body,
  }).catch((error: Error) => {
    throw new CommandFailure(`${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`)
  })
  if (!answer.ok) throw new CommandFailure(await refusalIn(answer))
  return answer
}

/** The message of an answer, with the fields that it names. */
async function refusalIn(answer: Response): Promise<string> {
  const text = await answer.text()
  try {
    const { message, details } = JSON.parse(text).error
    const fields = (details?.fields ?? []) as { name: string; messages: string[] }[]
    return [message, ...fields.map(({ name, messages }) => `${name} ${messages.join(', ')}`)].join(': ')
  } catch {
    return `the server answers ${answer.status} ${text.slice(0, 200)}`
  }
}

function readWhole(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (error) {
    throw new CommandFailure((error as Error).message)
  }
}

/** Writes a file that is there whole or not at all, for its owner alone: it opens the secrets in it. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${process.pid}`
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
