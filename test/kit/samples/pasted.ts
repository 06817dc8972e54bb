/** Pastes commands into shells, where recorders stand for the programs that they name, and tells what these were given. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before } from 'node:test'
import { colored } from '../../../console/ui/colored.ts'

/** A command as somebody takes it who selects what is shown; the button takes the text itself. */
export function selected(text: string): string {
  const pieces = colored(text).map((piece) => piece.text)
  return pieces.join('')
}

/** What a recorder of a program was given. */
export interface Call {
  readonly args: readonly string[]
  readonly input: string
  /** The files that lay there, by name. */
  readonly files: Readonly<Record<string, string>>
}

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  readonly body: string
  readonly token: string
}

export interface Pasted {
  readonly calls: readonly Call[]
  readonly requests: readonly Arrived[]
}

export interface Shells {
  /** The base URL of what records requests. */
  readonly endpoint: string
  /** Pastes texts one after the other into one shell, and tells for each what came of it. */
  paste(texts: readonly string[], program?: 'sh' | 'bash'): Promise<readonly Pasted[]>
  /** The files that lie there and that no command should have made. */
  strays(): readonly string[]
  close(): Promise<void>
}

const fileNames = ['certificate.pem', 'private-key.pem']

/** Notes arguments, input and files, each of them ended by NUL, which none of them can have. */
const recorder = `#!/bin/sh
{
  printf '%s\\0' "$#" "$@"
  [ -p /dev/stdin ] && cat
  printf '\\0'
  for file in ${fileNames.join(' ')}; do [ -e "$file" ] && cat "$file"; printf '\\0'; done
} >> "$RECORDS/$NUMBER"
`

/** Opens recorders of `hcloud` and of requests, and a folder in which shells find the one and ask the other. */
async function openShells(): Promise<Shells> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-pasted-'))
  for (const name of ['bin', 'records']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'bin/hcloud'), recorder, { mode: 0o755 })
  let arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    arrived.push({
      method,
      url,
      body: await text(request),
      token: (headers.authorization ?? '').replace('Bearer ', ''),
    })
    response.end('{"server":{"id":42,"name":"made"}}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async paste(texts, program = 'sh') {
      arrived = []
      const script = join(folder, 'script')
      // The token of a request tells which text it comes from.
      const lines = texts.map((text, n) => `export NUMBER=${n} HCLOUD_TOKEN=${n} MANAGEMENT_TOKEN=${n}m\n${text}\n`)
      writeFileSync(script, lines.join(''))
      await runShell(program, script, folder)
      const requests = Map.groupBy(arrived, ({ token }) => Number.parseInt(token, 10))
      return texts.map((_, n) => ({ calls: callsOf(join(folder, 'records', `${n}`)), requests: requests.get(n) ?? [] }))
    },
    strays: () => readdirSync(folder).filter((name) => !['bin', 'records', 'script', ...fileNames].includes(name)),
    async close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Runs a script; `bash` is one that somebody works in, which looks up what follows a `!`. */
async function runShell(program: 'sh' | 'bash', script: string, folder: string): Promise<void> {
  const args = program === 'sh' ? [script] : ['--norc', '--noprofile', '-i']
  const stdin = openSync(program === 'sh' ? '/dev/null' : script, 'r')
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    HISTFILE: '/dev/null',
    LANG: 'C.UTF-8',
    RECORDS: join(folder, 'records'),
  }
  const child = spawn(program, args, { cwd: folder, env, stdio: [stdin, 'ignore', 'ignore'] })
  closeSync(stdin)
  await once(child, 'close')
}

function callsOf(path: string): Call[] {
  if (!existsSync(path)) return []
  const noted = readFileSync(path, 'utf8').split('\0')
  rmSync(path)
  const calls: Call[] = []
  while (noted.length > 1) {
    const args = noted.splice(0, Number(noted[0]) + 1).slice(1)
    const [input = '', ...texts] = noted.splice(0, 1 + fileNames.length)
    const named = fileNames.map((name, index) => [name, texts[index]!] as const)
    calls.push({ args, input, files: Object.fromEntries(named.filter(([name]) => args.includes(name))) })
  }
  return calls
}

const isPlain = (text: string) => /^[\w@%+=:,./-]*$/.test(text)

/** Shells for the tests of a file, which fails when something of what was pasted has run. */
export function shellsForSuite(): () => Shells {
  let shells: Shells | undefined
  before(async () => {
    shells = await openShells()
  })
  after(async () => {
    const strays = shells?.strays()
    await shells?.close()
    assert.deepEqual(strays, [], 'something of a text ran')
  })
  return () => shells!
}

/** The texts in a value of JSON that mean something to a shell. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return isPlain(value) ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Those in what a program was given: words, also behind their options and as entries of lists, inputs and files. */
export function textsOf({ args, input, files }: Call): string[] {
  const values = args.map((word) => word.replace(/^--[a-z-]+=/, ''))
  const entries = values.map((word) => (/^"[\s\S]*"$/.test(word) ? word.slice(1, -1).replaceAll('""', '"') : word))
  const structured = /^\[[\s\S]*\]$/.test(input) ? textsIn(JSON.parse(input)) : [input]
  return [...entries, ...structured, ...Object.values(files)].filter((text) => !isPlain(text))
}
