/** Channels of SSH as those have them who serve them: what the client sends, what it is told, and its end. */
import type { ServerChannel, Session } from 'ssh2'
import type { Prisoner } from '../jail/confine.ts'
import { endSoon } from '../jail/starting.ts'

/** The ends of channels, which may come before anything serves them. */
const ends = new WeakMap<ServerChannel, AbortSignal>()

/**
 * Notes the end of a channel from its beginning on: that of its session. The library has one for the channel itself as well,
 * but it does not come before everything has been read.
 */
export function attend(channel: ServerChannel, session: Session): void {
  const ending = new AbortController()
  ends.set(channel, ending.signal)
  session.once('close', () => ending.abort())
  channel.on('error', () => undefined)
  // What is complained of is a stream of its own, which a client ends by closing the channel.
  channel.stderr.on('error', () => undefined)
}

/** The signal of the end of a channel that somebody attends. */
export function endOf(channel: ServerChannel): AbortSignal {
  return ends.get(channel)!
}

/** Tells whether nobody is there any more. */
export function hasEnded(channel: ServerChannel): boolean {
  return endOf(channel).aborted
}

/** Calls this at the end of a channel, at once if that was before. */
export function atEnd(channel: ServerChannel, work: () => void): void {
  if (hasEnded(channel)) work()
  else endOf(channel).addEventListener('abort', work, { once: true })
}

/** Tells whether a client has sent more than it was allowed to. */
export function isOverrun(channel: ServerChannel): boolean {
  const { incoming } = channel as { readonly incoming?: { readonly window: number } }
  return incoming !== undefined && incoming.window < 0
}

/** What the client sends. Whoever stops reading it leaves the channel open, so that its client can be told a status. */
export function inputOf(channel: ServerChannel): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => channel.iterator({ destroyOnReturn: false }) }
}

/** Tells the client what is wrong, if it still listens. */
export function complain(channel: ServerChannel, text: string | Buffer): void {
  if (channel.stderr.writable) channel.stderr.write(text)
}

/** Ends a channel with an exit status, after a text. What the client still sends is for nobody. */
export function finish(channel: ServerChannel, status: number, text = ''): void {
  const end = () => {
    channel.exit(status)
    channel.end()
    channel.resume()
  }
  if (text === '') end()
  else channel.write(text, end)
}

/** Ties the lives of a channel and of what serves it together: a client waits for an exit status. */
export function connect(channel: ServerChannel, { child, stdout }: Prisoner): void {
  if (hasEnded(channel)) {
    child.kill('SIGKILL')
    return
  }
  atEnd(channel, () => {
    endSoon(child)
    // Nobody takes its answers any more. It is given what has come of its client, which it would not read while it waits for that.
    stdout.unpipe(channel)
    stdout.on('pause', () => process.nextTick(() => stdout.resume()))
    stdout.resume()
  })
  child.once('close', (code) => finish(channel, code ?? 1))
}
