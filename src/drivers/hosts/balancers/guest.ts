/** The inside of a balancer's container, reached through Incus: its files, its program, and what HAProxy says. */
import { hash, randomUUID } from 'node:crypto'
import { DriverError } from '../../../kernel/actions/define.ts'
import { type FileOptions, type Incus, IncusError } from '../../../protocols/incus/client.ts'
import { exec, type Outcome } from '../../../protocols/incus/exec.ts'
import type { Source } from '../../load-balancers/haproxy/measurements.ts'
import { toRefusal } from '../../load-balancers/haproxy/readiness.ts'
import type { CheckRow, Counters } from '../../load-balancers/haproxy/statistics.ts'
import { home, program, programPath, refusedCode, staleCode, unit, unitName, unitPath } from './program.ts'
import { parseReport, type Report } from './report.ts'

const changeMs = 120_000
const reportMs = 5_000
/** An answer may be so old for readers, in milliseconds. */
const cacheMs = 1_000

/** Changes with what a container is equipped with. */
export const equipment = hash('sha256', `${unit}${program}`).slice(0, 16)

export class Guest implements Source {
  readonly #incus: Incus
  readonly #instance: string
  #cached: { readonly at: number; readonly report: Promise<Report> } | undefined

  constructor(incus: Incus, instance: string) {
    this.#incus = incus
    this.#instance = instance
  }

  /** Puts into a container what it needs beside HAProxy; it may be stopped. Errors: `DriverError`. */
  async equip(): Promise<void> {
    await this.#makeFolder(home)
    await this.#write(programPath, program)
    await this.#write(unitPath, unit, '0644')
    const systemd = '/etc/systemd/system'
    await this.#link(`${systemd}/multi-user.target.wants/${unitName}`, unitPath)
    // The image's own HAProxy has nothing to do, and the network is this program's.
    await this.#link(`${systemd}/haproxy.service`, '/dev/null')
    await this.#makeFolder('/etc/cloud', '0755')
    await this.#write('/etc/cloud/cloud-init.disabled', '', '0644')
  }

  /**
   * Makes HAProxy run with some files, by path relative to its folder. Answers undefined when the container has a newer state
   * already. Errors: a `Refusal` when HAProxy does not take them, another `DriverError`.
   */
  async use(files: ReadonlyMap<string, string>, generation: number): Promise<Report | undefined> {
    const folder = `next-${generation}-${randomUUID()}`
    await this.#makeFolder(`${home}/${folder}`)
    await this.#makeFolder(`${home}/${folder}/tls`)
    for (const [path, text] of files) await this.#write(`${home}/${folder}/${path}`, text)
    this.#cached = undefined
    const outcome = await this.#run(['use', folder, String(generation)], changeMs)
    if (outcome.code === staleCode) return undefined
    if (outcome.code === refusedCode) throw toRefusal(outcome.stdout.trim().replaceAll('\n', '; '))
    const report = parseReport(checked(outcome).stdout)
    this.#cached = { at: performance.now(), report: Promise.resolve(report) }
    return report
  }

  /** Returns what HAProxy says now, or said a moment ago. Errors: one when it does not answer. */
  report(): Promise<Report> {
    const now = performance.now()
    if (!this.#cached || now - this.#cached.at > cacheMs) this.#cached = { at: now, report: this.#ask() }
    return this.#cached.report
  }

  async #ask(): Promise<Report> {
    return parseReport(checked(await this.#run(['report'], reportMs)).stdout)
  }

  async checks(): Promise<CheckRow[]> {
    const { checks } = await this.report()
    if (!checks) throw new Error('HAProxy does not answer')
    return [...checks]
  }

  async counters(): Promise<Readonly<Record<string, Counters>>> {
    return (await this.report()).counters
  }

  /** A program that cannot be run now, as in a container that has just ended, may be another time. */
  async #run(args: readonly string[], timeoutMs: number): Promise<Outcome> {
    try {
      return await exec(this.#incus, this.#instance, ['/bin/sh', programPath, ...args], { timeoutMs })
    } catch (cause) {
      if (!(cause instanceof IncusError) || cause.transient) throw cause
      throw new DriverError('The load balancer does not run', { transient: true, cause })
    }
  }

  #makeFolder(path: string, mode = '0700'): Promise<void> {
    return this.#put(path, '', { type: 'directory', mode })
  }

  #write(path: string, content: string, mode = '0600'): Promise<void> {
    return this.#put(path, content, { mode })
  }

  #link(path: string, to: string): Promise<void> {
    return this.#put(path, to, { type: 'symlink' })
  }

  #put(path: string, content: string, options: FileOptions): Promise<void> {
    const at = `/1.0/instances/${this.#instance}/files?path=${encodeURIComponent(path)}`
    return this.#incus.putFile(at, content, options)
  }
}

/** Errors: a transient `DriverError` for one that failed, with what it said. */
function checked(outcome: Outcome): Outcome {
  if (outcome.code === 0) return outcome
  const cause = new Error(outcome.stderr.trim() || `code ${outcome.code}`)
  throw new DriverError('The load balancer does not answer', { transient: true, cause })
}
