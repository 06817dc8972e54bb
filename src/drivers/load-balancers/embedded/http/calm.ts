/**
 * Ends connections of HTTP/2 whose clients want no answers: they take requests back, each of which costs a target one, or
 * send pings and settings, which cost nothing to send. Node's own limits end floods of priorities, continuations, empty data
 * and unknown frames. Of window updates there is no event: they show as input that nothing explains.
 */
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { isBrokenOff } from './messages.ts'

/** How often a client may do so at once, and per second; and once more for each answer that it has read. */
const mostAtOnce = 500
const perSecond = 30

/** How many bytes a client may send that nothing explains: at once, and per second. */
const mostUnexplained = 4 * 1_024 * 1_024
const unexplainedPerSecond = 256 * 1_024
/** How often that is looked at, in milliseconds. */
const lookingMs = 1_000
/** What is explained by a request (its header, and a window of a body that it is refused), and beside each piece of a body. */
const bytesOfRequest = 128 * 1_024
const bytesBesidePiece = 512
/** By how much the updates for an answer may be longer than the answer, whose frames have ten bytes at least. */
const updatesPerAnswer = 4

/** Watches a connection until it ends. */
export function keepCalm(session: ServerHttp2Session): void {
  keepExplained(session)
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

/** Compares what a client has sent with its requests, the pieces of their bodies, and what it was sent. */
function keepExplained(session: ServerHttp2Session): void {
  const { socket } = session
  let explained = 0
  let unexplained = 0
  let before = 0
  let since = performance.now()
  const look = () => {
    // It has no socket any more.
    if (session.destroyed) return
    const [now, read] = [performance.now(), socket.bytesRead - updatesPerAnswer * socket.bytesWritten]
    const more = read - before - explained - (unexplainedPerSecond * (now - since)) / 1_000
    before = read
    since = now
    explained = 0
    // What is explained beforehand counts later: a body that is refused is still on its way.
    unexplained = Math.max(-mostUnexplained, unexplained + more)
    if (unexplained > mostUnexplained) session.destroy(constants.NGHTTP2_ENHANCE_YOUR_CALM as never)
  }
  const timer = setInterval(look, lookingMs).unref()
  session.once('close', () => clearInterval(timer))
  session.on('stream', (stream: ServerHttp2Stream) => {
    explained += bytesOfRequest
    // Pieces count as they come, before anybody reads them.
    const push = stream.push.bind(stream)
    stream.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
      if (piece) explained += piece.length + bytesBesidePiece
      return push(piece, encoding)
    }
  })
}
