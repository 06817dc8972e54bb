/** Listens on one address and port for a balancer, and keeps trying when it cannot. */
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { ReportProblem } from './report.ts'

/** How long another holder of the port is waited for, in milliseconds. */
const retryMs = 1_000
/** How long an address that this machine does not have is waited for, in milliseconds. */
const absentMs = 10_000
/** How many connections may wait to be accepted. */
const longestQueue = 1_024

export type Accept = (socket: Socket) => void

export class Listener {
  readonly #address: string
  readonly #port: number
  readonly #report: ReportProblem
  #accept: Accept
  #server: Server | undefined
  #tried: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** What was reported last, so that a lasting problem is reported once. */
  #problem: string | undefined

  constructor(address: string, port: number, report: ReportProblem) {
    this.#address = address
    this.#port = port
    this.#report = report
    this.#accept = (socket) => socket.destroy()
  }

  /** Hands connections to `accept` from now on. Resolves when it listens, or cannot for the moment. */
  async use(accept: Accept): Promise<void> {
    this.#accept = accept
    if (!this.#server) this.#tried = this.#listen()
    await this.#tried
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#server?.close()
  }

  #listen(): Promise<void> {
    clearTimeout(this.#timer)
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
    this.#server = server
    return new Promise((resolve) => {
      server.on('error', (error: NodeJS.ErrnoException) => {
        this.#fail(error)
        resolve()
      })
      server.on('listening', () => {
        this.#problem = undefined
        resolve()
      })
      const host = this.#address
      try {
        server.listen({ host, port: this.#port, ipv6Only: isIPv6(host), backlog: longestQueue })
      } catch (error) {
        // With its offset, the port is none.
        this.#fail(error as NodeJS.ErrnoException)
        resolve()
      }
    })
  }

  /** An address that this machine does not have may come, and a port that is taken may be given up. */
  #fail(error: NodeJS.ErrnoException): void {
    this.#server?.close()
    this.#server = undefined
    const isElsewhere = error.code === 'EADDRNOTAVAIL'
    if (this.#problem !== error.code) {
      const fields = { address: this.#address, port: this.#port, reason: error.message }
      this.#report(isElsewhere ? 'info' : 'warn', 'a Load Balancer cannot listen', fields)
    }
    this.#problem = error.code
    if (error.code === 'ERR_SOCKET_BAD_PORT') return
    this.#timer = setTimeout(() => void this.#listen(), isElsewhere ? absentMs : retryMs)
  }
}
