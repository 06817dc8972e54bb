/** `wolke export` and `wolke import` write a Project as a seed file, or as a configuration of Terraform. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { publicBase, wolkeBase } from '../kernel/contract/bases.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Format, formats } from '../lab/seed/contract.ts'
import type { Remote, RemoteOptions } from '../lab/seed/remote.ts'
import { CommandFailure } from './failure.ts'

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

/** A token is a part of a header, so that no message may have it. */
export function header(text: string): string {
  if (/^[\x21-\x7e]{1,1024}$/.test(text)) return text
  throw new InvalidArgumentError('must be a token')
}

/** The other endpoint of clients, HETZNER_ENDPOINT, has nothing that can stand in a file. */
const endpointOption = () =>
  new Option('--endpoint <url>', 'root of the API').env('HCLOUD_ENDPOINT').argParser(url).makeOptionMandatory()
const tokenOption = (description: string, variable: string) =>
  new Option('--token <token>', description).env(variable).argParser(header).makeOptionMandatory()
const projectOption = (description: string) => new Option('--project <name>', description).default('default')
const formatOption = () => new Option('--format <format>', 'what to write').choices(formats).default('seed')
const outputOption = () => new Option('--output <file>', 'write to this file instead of to standard output')

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

/** What a server says stands in one line, and moves no cursor. */
const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ')

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
