/**
 * A large reply, which is read after the commit as a GET reads it: in turns, and while nothing is held that others wait
 * for. It shows what the change has left, with what others may have done since to what belongs to it.
 */
export class LaterReply<Reply> {
  readonly #read: () => Promise<Reply>

  constructor(read: () => Promise<Reply>) {
    this.#read = read
  }

  /** Errors: one that asks nobody to try again, because the change is made. */
  async read(): Promise<Reply> {
    try {
      return await this.#read()
    } catch (cause) {
      throw new Error('the change is made, but its reply could not be read', { cause })
    }
  }
}
