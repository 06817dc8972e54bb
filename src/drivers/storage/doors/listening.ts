/** Both doors listen in the same way. */
import type { Server } from 'node:net'

/** Connections of a door at a time, of all accounts and of those who have not said yet who they are. */
const mostConnections = 4_096
/** The same trouble is reported once in so many milliseconds. */
const reportMs = 10_000

/**
 * Has a server listen; resolves with its port. `report` is told what goes wrong with it later, such as that the system has no
 * descriptor left for a connection. Errors: of the socket.
 */
export function listenAt(
  server: Server,
  port: number,
  host: string,
  report: (message: string, fields: object) => void,
): Promise<number> {
  server.maxConnections = mostConnections
  let isReported = false
  const trouble = ({ message: reason }: Error) => {
    if (isReported) return
    isReported = true
    setTimeout(() => (isReported = false), reportMs).unref()
    report('a door cannot take a connection', { reason })
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      server.on('error', trouble)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
