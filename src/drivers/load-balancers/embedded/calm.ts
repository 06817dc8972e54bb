/**
 * Ends connections of HTTP/2 whose clients want no answers: they take requests back, each of which costs a target one, or
 * send pings and settings, which cost nothing to send. Node's own limits end floods of priorities and continuations.
 */
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { isBrokenOff } from './messages.ts'

/** How often a client may do so at once, and per second; and once more for each answer that it has read. */
const mostAtOnce = 500
const perSecond = 30

/** Watches a connection until it ends. */
export function keepCalm(session: ServerHttp2Session): void {
  let charged = 0
  let since = performance.now()
  const charge = () => {
    const now = performance.now()
    charged = Math.max(0, charged - ((now - since) / 1_000) * perSecond) + 1
    since = now
    if (charged > mostAtOnce && !session.destroyed) session.destroy(constants.NGHTTP2_ENHANCE_YOUR_CALM as never)
  }
  session.on('ping', charge)
  session.on('remoteSettings', charge)
  session.on('stream', (stream: ServerHttp2Stream) => {
    stream.once('close', () => {
      if (!stream.aborted) charged = Math.max(0, charged - 1)
      else if (!isBrokenOff(stream)) charge()
    })
  })
}
