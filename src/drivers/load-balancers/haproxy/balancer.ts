/** One balancer: its files, its namespace and its HAProxy. Whoever changes it has its lock. */
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BalancerState } from '../../../families/load-balancers/driver.ts'
import { isCertificatePath, tlsFolder } from './configuration/certificates.ts'
import { configurationPath, filesOf } from './configuration/configuration.ts'
import {
  type BalancerRecord,
  folderOf,
  forgetRemoved,
  readIfThere,
  readRecord,
  removedGeneration,
  replaceFile,
  replaceNote,
  writeRecord,
  writeRemoved,
} from './configuration/files.ts'
import { withLock } from './lock.ts'
import { Master } from './master.ts'
import { Measurements } from './measurements.ts'
import {
  endProcesses,
  type NamespaceNames,
  namesOf,
  openNamespace,
  removeNamespace,
  tidyNamespace,
} from './namespace.ts'
import { freshSecondsOf, Refusal, toRefusal, withoutUnready } from './readiness.ts'
import { checkedState } from './statistics.ts'
import {
  boundLog,
  endSupervisor,
  faultsSince,
  hasEndedSince,
  isSupervised,
  logLength,
  startSupervisor,
} from './supervisor.ts'

/** What takes the messages of this driver. */
export interface Log {
  warn(fields: object, message: string): void
}

/** What all balancers of an installation have in common. */
export interface Installation {
  readonly directory: string
  /** Random, and the same as long as the directory is there. */
  readonly name: string
  readonly binary: string
  /** How many connections the limit of open files allows. */
  readonly mostConnections: number
  readonly log: Log
}

/** How long HAProxy may take to start, which on a busy machine is long. One that fails says so at once. */
const startMs = 30_000
/** How long HAProxy may be away while its supervisor starts it again. */
const restartMs = 5_000

/** The files of a balancer by path, relative to its folder. */
type Files = ReadonlyMap<string, string>

export class Balancer {
  readonly id: number
  readonly measurements: Measurements
  readonly #installation: Installation
  readonly #folder: string
  readonly #names: NamespaceNames
  readonly #master: Master

  constructor(installation: Installation, id: number) {
    this.id = id
    this.#installation = installation
    this.#folder = folderOf(installation.directory, id)
    this.#names = namesOf(installation.name, id)
    this.#master = new Master(this.#folder)
    this.measurements = new Measurements(installation.directory, id, this.#master)
  }

  /** The name of its lock. */
  get lock(): string {
    return `wolke-load-balancer-${this.#installation.name}-${this.id}`
  }

  /** What it was last handed; undefined when it does not exist. */
  get record(): BalancerRecord | undefined {
    return readRecord(this.#installation.directory, this.id)
  }

  /** Makes it be as described. Errors: a `DriverError`; everything is as before then. */
  async apply(wanted: BalancerState): Promise<void> {
    const files = filesOf(this.#limited(withoutUnready(wanted)))
    const record = toRecord(wanted)
    await withLock(this.lock, async () => {
      if (this.#hasSeen(wanted.generation)) return
      for (const folder of ['', tlsFolder, 'empty']) {
        mkdirSync(join(this.#folder, folder), { recursive: true, mode: 0o700 })
      }
      const before = this.record
      try {
        await openNamespace(this.#names, record)
        await this.#run(files, record)
      } catch (error) {
        await this.#goBack(before)
        throw error
      }
      await tidyNamespace(this.#names, record)
      writeRecord(this.#installation.directory, this.id, record)
    })
  }

  /** Takes back what a failed change did to the network. */
  async #goBack(before: BalancerRecord | undefined): Promise<void> {
    if (!before) return await this.#clear()
    await openNamespace(this.#names, before)
    await tidyNamespace(this.#names, before)
  }

  #hasSeen(generation: number): boolean {
    const { directory } = this.#installation
    return generation <= removedGeneration(directory, this.id) || generation < (this.record?.generation ?? 0)
  }

  /** HAProxy needs two descriptors for each connection, and does not start when there are not enough. */
  #limited(wanted: BalancerState): BalancerState {
    const { mostConnections, log } = this.#installation
    if (wanted.maxConnections <= mostConnections) return wanted
    log.warn(
      { balancer: this.id, wanted: wanted.maxConnections, mostConnections },
      'The limit of open files is too low',
    )
    return { ...wanted, maxConnections: mostConnections }
  }

  /** Removes it. Errors: a transient `DriverError`. */
  async remove(generation: number | null): Promise<void> {
    const { directory } = this.#installation
    await withLock(this.lock, async () => {
      if (generation !== null && generation < (this.record?.generation ?? 0)) return
      if (generation !== null) writeRemoved(directory, this.id, generation)
      await this.#clear()
      if (generation === null) forgetRemoved(directory, this.id)
    })
  }

  async #clear(): Promise<void> {
    await removeNamespace(this.#names)
    rmSync(this.#folder, { recursive: true, force: true })
    this.measurements.remove()
  }

  /** Starts it when it is not supervised, such as after the machine did, and ends a removal that was cut off. */
  async restore(): Promise<void> {
    const { record } = this
    if (!record) {
      if (removedGeneration(this.#installation.directory, this.id) >= 0) await this.#clear()
    } else if (!this.#isSupervised()) {
      await openNamespace(this.#names, record)
      await this.#start()
    }
  }

  /** Whether it is supervised where its addresses are. */
  #isSupervised(): boolean {
    return isSupervised(this.#folder, this.#names.namespace)
  }

  /** Keeps what a crash would lose. Errors: one when HAProxy does not answer. */
  async keep(): Promise<void> {
    const { record } = this
    if (!record) return
    boundLog(this.#folder)
    await this.measurements.sample()
    await this.#keepState(record.freshSeconds)
  }

  /** Lets the next worker begin with the state of the targets as it is now, for some seconds. */
  async #keepState(freshSeconds: number): Promise<void> {
    await this.measurements.keepFailures()
    const path = join(this.#folder, 'state')
    const state = checkedState(await this.#master.serverState())
    const expires = Date.now() / 1_000 + freshSeconds
    replaceNote(path, state)
    utimesSync(path, expires, expires)
  }

  /** Makes HAProxy run with some files, with as little disturbance as they allow. */
  async #run(files: Files, record: BalancerRecord): Promise<void> {
    const before = this.#readFiles()
    const changed = [...files].filter(([path, text]) => before.get(path) !== text).map(([path]) => path)
    if (!this.#isSupervised() || !(await this.#master.hasWorkerWithin(restartMs))) {
      await this.#change(files, before, () => this.#start())
    } else if (!this.#isUnfinished && changed.every((path) => isCertificatePath(path) && before.has(path))) {
      await this.#replaceCertificates(files, changed, before)
    } else {
      await this.#reload(files, before, record)
    }
    this.#deleteFiles(before, files)
    rmSync(this.#unfinished, { force: true })
  }

  /**
   * Where it is noted that HAProxy may run with something else than the files say. The note outlives a killed process of the
   * API, as HAProxy does; a machine that crashes may lose it, because HAProxy is then started with the files.
   */
  get #unfinished(): string {
    return join(this.#folder, 'unfinished')
  }

  get #isUnfinished(): boolean {
    return existsSync(this.#unfinished)
  }

  /** Writes files and makes HAProxy use them. Errors: that of `use`; the files are as before then. */
  async #change(files: Files, before: Files, use: () => Promise<void>): Promise<void> {
    const wasUnfinished = this.#isUnfinished
    writeFileSync(this.#unfinished, '', { mode: 0o600 })
    try {
      this.#writeFiles(files)
      await use()
    } catch (error) {
      this.#writeFiles(before)
      this.#deleteFiles(files, before)
      // After any other error, and with files that HAProxy never took, nobody knows what it runs with.
      if (error instanceof Refusal && !wasUnfinished) rmSync(this.#unfinished)
      throw error
    }
  }

  /** The next reload reads the files, so they come first. */
  async #replaceCertificates(files: Files, changed: readonly string[], before: Files): Promise<void> {
    const certificates = new Map(changed.map((path) => [path, files.get(path)!]))
    if (certificates.size === 0) return
    const replaced = new Map(changed.map((path) => [path, before.get(path)!]))
    await this.#change(certificates, replaced, () => this.#master.replaceCertificates(certificates))
  }

  async #reload(files: Files, before: Files, { freshSeconds }: BalancerRecord): Promise<void> {
    const length = logLength(this.#folder)
    using _held = await this.#master.holdWorker()
    await this.#change(files, before, async () => {
      await this.#keepState(freshSeconds)
      if (!(await this.#master.reload())) throw toRefusal(faultsSince(this.#folder, length))
    })
    this.measurements.forget()
    await this.measurements.sample()
  }

  /** Starts HAProxy and its supervisor, and waits until it takes connections. Errors: a `DriverError` with the reason. */
  async #start(): Promise<void> {
    endSupervisor(this.#folder)
    await endProcesses(this.#names)
    const length = logLength(this.#folder)
    await startSupervisor(this.#folder, this.#names.namespace, this.#installation.binary)
    if (!(await this.#master.hasWorkerWithin(startMs, () => hasEndedSince(this.#folder, length)))) {
      await endProcesses(this.#names)
      throw toRefusal(faultsSince(this.#folder, length))
    }
    this.measurements.forget()
    // What comes from now on is counted since now.
    await this.measurements.sample()
  }

  #readFiles(): Files {
    const names = readdirSync(join(this.#folder, tlsFolder))
    const paths = [configurationPath, ...names.map((name) => `${tlsFolder}/${name}`)]
    return new Map(
      paths.flatMap((path): [string, string][] => {
        const text = readIfThere(join(this.#folder, path))
        return text === undefined ? [] : [[path, text]]
      }),
    )
  }

  #writeFiles(files: Files): void {
    for (const [path, text] of files) replaceFile(join(this.#folder, path), text)
  }

  #deleteFiles(from: Files, except: Files): void {
    for (const path of from.keys()) if (!except.has(path)) rmSync(join(this.#folder, path), { force: true })
  }
}

function toRecord({ generation, publicAddresses, place, services }: BalancerState): BalancerRecord {
  return { generation, publicAddresses, privateAddress: place?.address ?? null, freshSeconds: freshSecondsOf(services) }
}
