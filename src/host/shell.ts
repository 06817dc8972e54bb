/** Runs the programs of the machine that becomes a host. */
import { execFile } from 'node:child_process'

/** The longest time for a program, in milliseconds: mirrors of packages may be far away. */
const patienceMs = 3_600_000
/** The lines of a failed program that are shown. */
const shownLines = 25

/** What a program of the machine said, and how it ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs programs with an environment that is the same on every machine, but for proxies and options of Wolke. */
export class Shell {
  readonly #env: NodeJS.ProcessEnv

  constructor(env: NodeJS.ProcessEnv) {
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    this.#env = { ...env, PATH, HOME: '/root', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' }
  }

  /** Runs a program to its end, whatever that is; 127 is the code of one that is not there. */
  run(command: string, ...args: readonly string[]): Promise<Ended> {
    return this.#ended([command, ...args], {})
  }

  /** The output of a program, trimmed. Errors: one that has what the program said, unless it ends with 0. */
  async output(command: string, ...args: readonly string[]): Promise<string> {
    const ended = await this.run(command, ...args)
    if (ended.code !== 0) throw new Error(failureOf([command, ...args].join(' '), ended))
    return ended.stdout.trim()
  }

  /** True when a program ends with 0. */
  async succeeds(command: string, ...args: readonly string[]): Promise<boolean> {
    return (await this.run(command, ...args)).code === 0
  }

  /**
   * Runs a script of sh that changes the machine. One that another run has left behind when it was killed ends first, as
   * both hold the same lock. Errors: one that has what the script said.
   */
  async script(name: string, text: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const ended = await this.#ended(['flock', '-o', lock, 'sh', '-c', text, name, ...args], env)
    if (ended.code !== 0) throw new Error(failureOf(name, ended))
    return ended.stdout.trim()
  }

  #ended([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const options = { env: { ...this.#env, ...env }, maxBuffer: 1 << 26, timeout: patienceMs }
    return new Promise((resolve) => {
      const child = execFile(command, args, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127
        resolve({ code, stdout, stderr: stderr || (error && code === 127 ? error.message : stderr) })
      })
      // Some programs read what comes this way, and wait for it.
      child.stdin?.end()
    })
  }
}

const lock = '/run/lock/wolke-host'

function failureOf(name: string, { code, stdout, stderr }: Ended): string {
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-shownLines)
  return [`${name} ended with ${code}:`, ...said.map((line) => `  ${line}`)].join('\n')
}
