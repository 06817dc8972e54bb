/** The process of the doors, a file of its own in the bundle. It works for the API server that started it, and ends with it. */
import type { BoxPlace } from '../accounts.ts'
import type { Ledger } from '../ledger.ts'
import { Doors } from '../open.ts'
import type { Answered, Call, DoorsQuestion, DoorsSettings, OpenedPorts, PlaceState, Quota, Said } from './wire.ts'

/** The server hears of writes once in so many milliseconds. */
const chargesMs = 200

const say = (said: Said) => {
  if (process.connected) process.send!(said)
}

/** The bytes of a box are those that were measured, and those that were written since. */
class CountedBox implements Ledger {
  readonly #id: number
  readonly #begin: () => Promise<void>
  #quota: Quota
  /** So many bytes were charged, and so many of them are in what was measured. */
  #charged = 0
  #measured = 0
  /** The server was not told of these bytes yet, nor that so many have been written. */
  #unsaid = 0
  #unsaidWritten = 0
  #isChanged = false
  /** Something was said not long ago, and more is said soon. */
  #isAwaited = false
  /** So often it was measured, or heard that the box changes. */
  #turns = 0

  constructor(id: number, quota: Quota, begin: () => Promise<void>) {
    this.#id = id
    this.#begin = begin
    this.#quota = quota
  }

  begin(): Promise<void> {
    return this.#begin()
  }

  room(): number {
    return this.#quota.limit - this.#quota.used - (this.#charged - this.#measured)
  }

  charge(bytes: number): void {
    this.#charged += bytes
    this.#unsaid += bytes
    if (!this.#isAwaited) this.say()
  }

  written(bytes: number): void {
    this.#unsaidWritten += bytes
  }

  changed(): void {
    this.#isChanged = true
    this.#turns++
    if (!this.#isAwaited) this.say()
  }

  /**
   * Says what has happened since it was said last. What happens first is said at once, so that who kills this process does not
   * keep the box from being counted; what follows is said together.
   */
  say(): void {
    const [charged, written] = [this.#unsaid, this.#unsaidWritten]
    this.#isAwaited = this.#isChanged || charged > 0
    if (charged > 0 || written > 0) say({ charged, written, box: this.#id })
    if (this.#isChanged) say({ changed: this.#id })
    this.#unsaid = 0
    this.#unsaidWritten = 0
    this.#isChanged = false
  }

  measured(): number {
    return this.#turns
  }

  /** Takes what was measured when so many bytes had been heard. */
  set(quota: Quota, heard: number): void {
    this.#quota = quota
    this.#measured = Math.min(heard, this.#charged)
    this.#turns++
  }
}

type WithoutNumber<Q> = Q extends unknown ? Omit<Q, 'question'> : never

class Program {
  #doors: Doors | undefined
  readonly #counted = new Map<number, CountedBox>()
  readonly #asked = new Map<number, (problem: string | undefined) => void>()
  #questions = 0

  constructor() {
    const sayAll = () => {
      for (const counted of this.#counted.values()) counted.say()
    }
    setInterval(sayAll, chargesMs).unref()
  }

  async answer(message: Call | Answered): Promise<void> {
    if ('question' in message) {
      this.#asked.get(message.question)?.(message.problem ?? undefined)
      this.#asked.delete(message.question)
      return
    }
    try {
      say({ call: message.call, result: (await this.#run(message)) ?? null })
    } catch (error) {
      say({ call: message.call, error: (error as Error).message })
    }
  }

  #run(call: Call): Promise<OpenedPorts> | undefined {
    if (call.method === 'open') return this.#open(call.args[0])
    const doors = this.#doors
    if (!doors) throw new Error('the doors are not open')
    if (call.method === 'setAccounts') doors.setAccounts(this.#placeOf(call.args[0]), call.args[1], call.args[2])
    else if (call.method === 'setQuota') this.#counted.get(call.args[0])?.set(call.args[1], call.args[2])
    else if (call.method === 'hear') this.#counted.get(call.args[0])?.say()
    else if (call.method === 'endSessions') doors.endSessions(call.args[0])
    else if (doors.removeBox(...call.args)) this.#counted.delete(call.args[0])
    return undefined
  }

  async #open({ directory, ssh, webdav }: DoorsSettings): Promise<OpenedPorts> {
    const doors = new Doors({
      directory,
      report: (report, fields) => say({ report, fields }),
      installKey: ({ place, state }, key) => this.#ask({ box: place.id, username: state.username, key }),
    })
    this.#doors = doors
    return { ssh: ssh && (await doors.openSsh(ssh)), webdav: webdav && (await doors.openWebdav(webdav)) }
  }

  /** Asks the server for something. Resolves with undefined when it is done, or why it is not. */
  #ask(question: WithoutNumber<DoorsQuestion>): Promise<string | undefined> {
    const number = ++this.#questions
    say({ question: number, ...question })
    return new Promise((resolve) => this.#asked.set(number, resolve))
  }

  async #begin(box: number): Promise<void> {
    const problem = await this.#ask({ box, begin: true })
    if (problem !== undefined) throw new Error(problem)
  }

  #placeOf({ quota, ...place }: PlaceState): BoxPlace {
    if (!quota) return { ...place, ledger: undefined }
    // The bytes that were written since the last measurement stay counted when accounts change.
    const ledger = this.#counted.get(place.id) ?? new CountedBox(place.id, quota, () => this.#begin(place.id))
    this.#counted.set(place.id, ledger)
    return { ...place, ledger, limit: quota.limit }
  }
}

const program = new Program()
process.on('message', (message: Call | Answered) => void program.answer(message))
// Nobody may come in whom nobody can send away. File servers end with this process.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
