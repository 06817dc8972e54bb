/** A cloud with a folder, in which an assistant runs programs that find this cloud and no other one. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { environmentIn } from '../environment.ts'
import type { Wolke } from '../wolke.ts'

/** The programs that may be run. */
export const programs = ['terraform', 'tofu', 'hcloud'] as const
export type Program = (typeof programs)[number]

/** Options of hcloud that lead to the settings or to the cloud of somebody else. */
const leadingAway = /^--(config|context|endpoint|hetzner-endpoint)(=|$)/

/**
 * Variables that programs need to run and to download what they are made of. No other one is handed on. A proxy is for
 * downloads: requests to the cloud take none.
 */
const neededVariables =
  /^(PATH|LANG|LC_\w+|TF_CLI_CONFIG_FILE|TF_PLUGIN_CACHE_DIR|https?_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR)$/i

/** Names of what is not taken along: states and values are those of another cloud. */
const leftOut = /^(\.(?!terraform\.lock\.hcl$).*|.*\.tfstate.*|.*\.tfvars(\.json)?|node_modules)$/

const mostOutput = 100_000

export interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Tells whether a file of settings of Terraform, such as mirrors of providers, has no credentials of anything. */
function isWithoutSecrets(file: string): boolean {
  try {
    return !/credentials/i.test(readFileSync(file, 'utf8'))
  } catch {
    // Terraform says itself what is wrong with a file that cannot be read.
    return true
  }
}

export class Workspace implements AsyncDisposable {
  readonly cloud: Wolke
  readonly #folder: string
  readonly #files: string
  readonly #env: NodeJS.ProcessEnv
  readonly #running = new Set<Promise<unknown>>()

  /** `env` is that of this process; `files` is a folder whose files are copied. */
  constructor(cloud: Wolke, env: NodeJS.ProcessEnv, files?: string) {
    this.cloud = cloud
    this.#env = env
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), 'wolke-mcp-')))
    this.#files = join(this.#folder, 'files')
    mkdirSync(join(this.#folder, 'home'))
    if (files === undefined) mkdirSync(this.#files)
    else
      cpSync(files, this.#files, { recursive: true, filter: (path) => path === files || !leftOut.test(basename(path)) })
  }

  /** One with a fork of the cloud, and with the same files. */
  async fork(): Promise<Workspace> {
    const fork = new Workspace(await this.cloud.fork(), this.#env)
    cpSync(this.#files, fork.#files, { recursive: true })
    return fork
  }

  /** Writes a file into the folder. Errors: one line about the path. */
  write(path: string, text: string): void {
    const file = join(this.#files, path)
    const way = relative(this.#files, file)
    if (way === '' || way === '..' || way.startsWith(`..${sep}`)) throw new Error(`path: must be within the folder`)
    mkdirSync(dirname(file), { recursive: true })
    if (relative(realpathSync(this.#files), realpathSync(dirname(file))).startsWith('..'))
      throw new Error('path: must not leave the folder by a link')
    // A file that is a link is replaced, so that nothing is written where it leads.
    rmSync(file, { force: true })
    writeFileSync(file, text)
  }

  /** Runs a program to its end, or until it is given up. Errors: one line. */
  run(program: Program, args: readonly string[], signal: AbortSignal): Promise<ProgramResult> {
    const away = program === 'hcloud' && args.find((arg) => leadingAway.test(arg))
    if (away) throw new Error(`arguments: ${away} would lead away from this cloud`)
    const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>()
    const child = spawn(program, args, {
      cwd: this.#files,
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        // The end says more than the beginning.
        said[name] = (said[name] + text).slice(-mostOutput)
      })
    }
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${program} is not installed`) : error),
    )
    const closed = Promise.withResolvers<void>()
    this.#running.add(closed.promise)
    child.once('close', (code) => {
      this.#running.delete(closed.promise)
      closed.resolve()
      resolve({ code: code ?? -1, ...said })
    })
    return promise
  }

  #environment(): Record<string, string> {
    const needed = Object.entries(this.#env).filter(([name]) => neededVariables.test(name))
    const { TF_CLI_CONFIG_FILE: settings, ...given } = Object.fromEntries(needed)
    const { env } = environmentIn(this.cloud, given)
    const { WOLKE_LAB_TOKEN, ...others } = env
    const home = join(this.#folder, 'home')
    const mirrors = settings !== undefined && isWithoutSecrets(settings) ? { TF_CLI_CONFIG_FILE: settings } : {}
    return {
      ...others,
      ...mirrors,
      HOME: home,
      TMPDIR: home,
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      CHECKPOINT_DISABLE: '1',
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Programs that were told to end may still write into the folder.
    await Promise.all(this.#running)
    await this.cloud.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
