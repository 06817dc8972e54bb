/** A service manager that passes sockets to the program (sd_listen_fds(3)) and starts it again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { after } from 'node:test'
import { build } from '../../run/built.ts'
import { bundle, token } from './program.ts'

export interface Activated {
  /** The port of each name. */
  readonly ports: Readonly<Record<string, number>>
  /** Ends the program and starts it again. Resolves to the code that it ended with, while the next one is not ready yet. */
  restart(): Promise<number>
  /** Ends the program. */
  stop(): Promise<Ended>
  /** Waits until the program ends by itself. */
  ended(): Promise<Ended>
}

export interface Ended {
  readonly code: number
  readonly stderr: string
}

/** Passes `sockets`, each as `NAME:tcp`, `NAME:udp` or `NAME:unix`, to `wolke serve`. */
export async function activate(
  folder: string,
  sockets: readonly string[],
  options: readonly string[],
): Promise<Activated> {
  await build()
  const command = [process.execPath, bundle, 'serve', '--log-level', 'error', '--rate-limit', 'off', '--token', token]
  const script = `${import.meta.dirname}/activator.py`
  const child = spawn('python3', [script, ...sockets, '--', ...command, ...options], {
    ...{ cwd: folder, env: { ...process.env, TMPDIR: folder } },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const told = answers(createInterface({ input: child.stdout }))
  const ports = (await told()) as Record<string, number>
  return {
    ports,
    async restart() {
      child.stdin.write('again\n')
      return (await told()).ended!
    },
    async stop() {
      child.stdin.write('stop\n')
      return { code: await codeOf(child), stderr }
    },
    async ended() {
      child.stdin.end()
      return { code: await codeOf(child), stderr }
    },
  }
}

/** Returns a function that waits for the next line of JSON; the program itself says other lines. */
function answers(lines: Interface): () => Promise<Record<string, number>> {
  const found = lines[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const { value, done } = await found.next()
      if (done) throw new Error('the service manager has ended')
      if (value.startsWith('{')) return JSON.parse(value)
    }
  }
}

function codeOf(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)))
}
