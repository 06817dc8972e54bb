/**
 * The journal of a machine: what was decided for it, and what each step made there, written before the step does it. Only
 * what is in the journal is undone.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncToDisk } from '../kernel/process/private-file.ts'

/** A file that a step has written. */
export interface Replaced {
  /** What was there before, in base64 and with its mode; null when nothing was. */
  readonly before: { readonly content: string; readonly mode: number } | null
  /** The digest of what the step wrote. */
  wrote: string
}

/** What a step made. */
export interface StepRecord {
  /** The files that it wrote, by their paths. */
  readonly files: Record<string, Replaced>
  /** What the step itself wants to know when it is undone. */
  readonly notes: Record<string, string>
  isDone: boolean
}

interface Contents<Decided> {
  decided?: Decided
  steps: Record<string, StepRecord>
}

export class Journal<Decided> {
  readonly #path: string
  readonly #contents: Contents<Decided>

  /** Errors: one that names the file, when it is not readable as a journal. */
  constructor(path: string) {
    this.#path = path
    this.#contents = { steps: {} }
    if (!existsSync(path)) return
    try {
      Object.assign(this.#contents, JSON.parse(readFileSync(path, 'utf8')))
    } catch (error) {
      throw new Error(`${path} cannot be read: ${(error as Error).message}`)
    }
  }

  get decided(): Decided | undefined {
    return this.#contents.decided
  }

  decide(decided: Decided): void {
    this.#contents.decided = decided
    this.save()
  }

  /** What a step made, if it has begun. */
  of(step: string): StepRecord | undefined {
    return this.#contents.steps[step]
  }

  begin(step: string): StepRecord {
    const made = this.#contents.steps[step] ?? { files: {}, notes: {}, isDone: false }
    this.#contents.steps[step] = made
    this.save()
    return made
  }

  forget(step: string): void {
    delete this.#contents.steps[step]
    this.save()
  }

  /** Removes the journal, when nothing is left to undo. */
  remove(): void {
    rmSync(this.#path, { force: true })
  }

  /** Writes the journal, for root alone and never in part. */
  save(): void {
    const folder = dirname(this.#path)
    mkdirSync(folder, { recursive: true })
    const draft = `${this.#path}.draft`
    writeFileSync(draft, `${JSON.stringify(this.#contents, null, 2)}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    syncToDisk(draft)
    renameSync(draft, this.#path)
    syncToDisk(folder)
  }
}
