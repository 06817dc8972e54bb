/** Connections within the process: as much of a socket as servers and clients of HTTP look at. */
import { Duplex } from 'node:stream'

class End extends Duplex {
  /** All come from this machine. */
  readonly remoteAddress = '127.0.0.1'
  bytesRead = 0
  #other: End | undefined
  /** Tells the writer at the other end that it may go on. */
  #goOn: (() => void) | undefined

  join(other: End): void {
    this.#other = other
  }

  override _read(): void {
    const goOn = this.#goOn
    this.#goOn = undefined
    goOn?.()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#other!.#receive(chunk, done)
  }

  override _final(done: () => void): void {
    this.#other!.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error)
    // The other end learns of it after what was sent before.
    process.nextTick(() => this.#other!.destroy())
  }

  /** Nothing gets lost on the way, so that nobody is taken for gone. */
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  #receive(chunk: Buffer, done: () => void): void {
    this.bytesRead += chunk.length
    if (this.destroyed || this.push(chunk)) done()
    else this.#goOn = done
  }
}

/** The two ends of a new connection. */
export function connection(): readonly [client: Duplex, server: Duplex] {
  const [client, server] = [new End(), new End()]
  client.join(server)
  server.join(client)
  return [client, server]
}
