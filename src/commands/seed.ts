/**
 * `wolke seed` makes what a seed file describes on a running lab. `wolke export` and `wolke import` write a Project as such
 * a file, or as a configuration of Terraform.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { publicBase, wolkeBase } from '../kernel/contract/bases.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Format, formats } from '../lab/seed/contract.ts'
import type { Done } from '../lab/seed/plant.ts'
import type { Remote, RemoteOptions } from '../lab/seed/remote.ts'
import { CommandFailure } from './failure.ts'
import { oneLine } from './output.ts'
import { ask, header, Refused, type RunningLab, runningLabOf, runningLabOptions } from './running-lab.ts'

interface SeedOptions {
  readonly endpoint: string
  readonly token: string
  readonly project: string
  readonly format: Format
  readonly output?: string
}

function url(text: string): string {
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : {}
  if (!/^https?:$/.test(`${protocol}`) || username || password)
    throw new InvalidArgumentError(`must be a URL such as https://cloud.example.com${publicBase}, without a password`)
  return text
}

/** The other endpoint of clients, HETZNER_ENDPOINT, has nothing that can stand in a file. */
const endpointOption = () =>
  new Option('--endpoint <url>', 'root of the API').env('HCLOUD_ENDPOINT').argParser(url).makeOptionMandatory()
const tokenOption = (description: string, variable: string) =>
  new Option('--token <token>', description).env(variable).argParser(header).makeOptionMandatory()
const projectOption = (description: string) => new Option('--project <name>', description).default('default')
const formatOption = () => new Option('--format <format>', 'what to write').choices(formats).default('seed')
const outputOption = () => new Option('--output <file>', 'write to this file instead of to standard output')

export function seedCommand(): Command {
  const command = new Command('seed')
    .description('make what a seed file describes on a running lab, or nothing of it')
    .argument('<file>')
    .action((file: string, _, command: Command) => seed(file, runningLabOf(command)))
  return runningLabOptions().reduce((made, option) => made.addOption(option), command)
}

/** Errors: `CommandFailure`, with nothing made; those of the file name the lines and fields. */
async function seed(file: string, lab: RunningLab): Promise<void> {
  const body = Buffer.from(JSON.stringify({ yaml: readText(file) }))
  const answer = await ask(lab, 'POST', '/seed', { 'content-type': 'application/json' }, body).catch(
    (error: unknown) => {
      throw error instanceof Refused ? refusalOf(file, error) : error
    },
  )
  const { created, changed, left } = doneIn(lab, answer)
  console.log(`${created.length} made, ${changed.length} changed`)
  for (const field of left) say(`${field}: the file says otherwise, and this stays as it is`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailure((error as Error).message)
  }
}

function refusalOf(file: string, { problems, message }: Refused): CommandFailure {
  const all = problems.map((problem) => `${problem.name}: ${problem.message}`)
  return new CommandFailure(oneLine(`${file}: ${all.join('; ') || message}`))
}

function doneIn({ url }: RunningLab, answer: Buffer): Done {
  try {
    const { created, changed, left }: Done = JSON.parse(answer.toString())
    return { created: [...created], changed: [...changed], left: left.map(String) }
  } catch {
    throw new CommandFailure(`${url} answered something else than this API`)
  }
}

export function exportCommand(): Command {
  return new Command('export')
    .description('write a Project of a server with a lab as a seed file, or for Terraform')
    .addOption(endpointOption())
    .addOption(tokenOption('the token of the lab, or another management token', 'WOLKE_LAB_TOKEN'))
    .addOption(projectOption('which Project'))
    .addOption(formatOption())
    .addOption(outputOption())
    .action((options: SeedOptions) =>
      write(options, async (remote) => {
        const { Remote } = await import('../lab/seed/remote.ts')
        const server = new Remote({ ...remote, endpoint: new URL(options.endpoint).origin + wolkeBase })
        const id = await projectNamed(server, options.project)
        return seedAt(server, `/projects/${id}/seed`, options.format)
      }),
    )
}

/** Errors: `ApiError`. */
async function seedAt(server: Remote, path: string, format: Format): Promise<Written> {
  const { strange } = await import('../lab/seed/access.ts')
  const { text, left_out } = await server.get(path, { format })
  const isText = (one: unknown) => typeof one === 'string'
  if (!isText(text) || !Array.isArray(left_out) || !left_out.every(isText)) throw strange(`${path} has no text`)
  return { text, left_out }
}

/** Errors: `ApiError`, `CommandFailure`. */
async function projectNamed(server: Remote, wanted: string): Promise<number> {
  const { pagesOf, strange } = await import('../lab/seed/access.ts')
  for await (const projects of pagesOf('/projects', (page) => server.get('/projects', { page }))) {
    const found = projects.find(({ name }) => name === wanted)
    if (found && !Number.isSafeInteger(found.id)) throw strange('/projects has an entry without an id')
    if (found) return found.id
  }
  throw new CommandFailure(`there is no project named '${wanted}'`)
}

export function importCommand(): Command {
  return new Command('import')
    .description('read a living Project of any server with this API, and write it as a seed file, or for Terraform')
    .addOption(endpointOption())
    .addOption(tokenOption('an API token of the Project; one that may only read is enough', 'HCLOUD_TOKEN'))
    .addOption(projectOption('what the Project is called in the file'))
    .addOption(formatOption())
    .addOption(outputOption())
    .action((options: SeedOptions) =>
      write(options, async (remote) => {
        const { Remote } = await import('../lab/seed/remote.ts')
        const { readProject } = await import('../lab/seed/present.ts')
        const { written } = await import('../lab/seed/export.ts')
        const present = await readProject(new Remote(remote))
        return written(options.project, present, options.format)
      }),
    )
}

interface Written {
  readonly text: string
  readonly left_out: readonly string[]
}

const say = (line: string) => void process.stderr.write(`wolke: ${oneLine(line)}\n`)

/** Errors: `CommandFailure`, without anything written. */
async function write({ endpoint, token, output }: SeedOptions, read: (options: RemoteOptions) => Promise<Written>) {
  const waits = (seconds: number) => say(`the server asks to wait ${seconds} s`)
  const { text, left_out } = await failing(endpoint, () => read({ endpoint, token, waits }))
  if (output === undefined) process.stdout.write(text)
  else replaceFile(output, text)
  for (const one of left_out) say(`left out: ${one}`)
}

async function failing<T>(endpoint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError ? new CommandFailure(oneLine(`${endpoint}: ${error.message}`)) : error
  }
}

/** Writes a file whole or not at all. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, text)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CommandFailure(`--output: ${(error as Error).message}`)
  }
}
