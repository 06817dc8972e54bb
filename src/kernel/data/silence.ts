/**
 * Notices that a server of PostgreSQL does not answer at all, as when the network between drops what is sent: nothing tells of
 * that but time. A statement may take long, so the server is asked for a new connection before anything is believed of it.
 */
import { afterRunning } from '../process/running-time.ts'

/** The time without an answer after which the server is asked, in milliseconds. */
const patienceMs = 1_500

export interface SilenceOptions {
  /** Whether the server answers anybody. Must not reject. */
  answers(): Promise<boolean>
  /** Called when it does not. */
  onSilence(): void
}

/** A question that waits for its answer. */
export interface OpenQuestion {
  readonly at: number
}

export class Silence {
  readonly #options: SilenceOptions
  /** The oldest first. */
  readonly #asked = new Set<OpenQuestion>()
  #callOff: (() => void) | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
  }

  /** Notes a question. */
  begin(): OpenQuestion {
    const asked = { at: performance.now() }
    this.#asked.add(asked)
    if (!this.#callOff) this.#lookIn(patienceMs)
    return asked
  }

  /** Notes the answer to it. */
  end(asked: OpenQuestion): void {
    this.#asked.delete(asked)
  }

  close(): void {
    this.#callOff?.()
  }

  #lookIn(ms: number): void {
    this.#callOff = afterRunning(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    const [oldest] = this.#asked
    this.#callOff = undefined
    if (!oldest) return
    const leftMs = oldest.at + patienceMs - performance.now()
    if (leftMs > 0) return this.#lookIn(leftMs)
    // Whoever asks meanwhile begins no second look.
    this.#callOff = () => undefined
    if (!(await this.#options.answers())) this.#options.onSilence()
    this.#lookIn(patienceMs)
  }
}
