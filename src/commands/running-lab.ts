/** Commands that ask a running lab: where it is, who asks, and what it answers. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { wolkeBase } from '../kernel/contract/bases.ts'
import { CommandFailure } from './failure.ts'
import { oneLine } from './output.ts'

export interface RunningLabOptions {
  readonly endpoint?: string
  readonly token?: string
  readonly readyFile?: string
}

/** A running server, and who asks it. */
export interface RunningLab {
  readonly url: string
  readonly token: string
}

/** A token is a part of a header, so that no message may have it. */
export function header(text: string): string {
  if (/^[\x21-\x7e]{1,1024}$/.test(text)) return text
  throw new InvalidArgumentError('must be a token')
}

export function runningLabOptions(): Option[] {
  return [
    new Option('--endpoint <url>', 'where the server is, such as http://127.0.0.1:8080').env('WOLKE_ENDPOINT'),
    new Option('--token <token>', 'the token of the lab, or a management token')
      .env('WOLKE_LAB_TOKEN')
      .argParser(header),
    new Option('--ready-file <path>', 'the ready file of the server, which has both').env('WOLKE_READY_FILE'),
  ]
}

/** Flags win over a ready file that a flag names, which wins over the environment. Errors: `CommandFailure`. */
export function runningLabOf(command: Command): RunningLab {
  const options = command.opts<RunningLabOptions>()
  const isFlag = (name: keyof RunningLabOptions) => command.getOptionValueSource(name) === 'cli'
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

/** A server has refused a request. */
export class Refused extends CommandFailure {
  /** The fields that it names, with the reasons. */
  readonly problems: readonly { readonly name: string; readonly message: string }[]

  constructor(message: string, problems: Refused['problems'] = []) {
    super(oneLine([message, ...problems.map((problem) => `${problem.name} ${problem.message}`)].join(': ')))
    this.problems = problems
  }
}

/** Sends a request to a path below the base of what only Wolke has. Errors: `CommandFailure`, `Refused`. */
export async function ask(
  { url, token }: RunningLab,
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
  if (!answer.ok) throw refusalIn(answer.status, bytes.toString())
  return bytes
}

async function send(url: string, request: RequestInit): Promise<[Response, Buffer]> {
  const answer = await fetch(url, request)
  return [answer, Buffer.from(await answer.arrayBuffer())]
}

function refusalIn(status: number, text: string): Refused {
  try {
    const { message, details } = JSON.parse(text).error
    const fields = (details?.fields ?? []) as { name: string; messages: string[] }[]
    return new Refused(
      message,
      fields.map(({ name, messages }) => ({ name, message: messages.join(', ') })),
    )
  } catch {
    return new Refused(`the server answers ${status} ${text.slice(0, 200)}`)
  }
}
