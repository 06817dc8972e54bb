/** A session of SFTP: the bytes of a channel go to a file server in its jail, watched where the doors count. */
import type { ServerChannel } from 'ssh2'
import { type Account, jailOf } from '../accounts.ts'
import { begun } from '../begun.ts'
import type { Prisoner } from '../jail/confine.ts'
import { freeAt, holesOf } from '../sftp/kernel.ts'
import { startFileServer } from '../sftp/server.ts'
import { SftpWatch } from '../sftp/watch.ts'
import { writeTogether } from '../together.ts'

/** A server may take so many milliseconds to end after its client has gone: it may have to write what it was given. */
const goodbyeMs = 10_000

/** Serves a channel until it ends. Errors: those of `startFileServer` and `begun`, before anything was served. */
export async function serveSftp(channel: ServerChannel, account: Account): Promise<void> {
  const prisoner = await begun(await startFileServer(jailOf(account)), account)
  connect(channel, prisoner)
  writeTogether(prisoner.stdin)
  const { ledger } = account.place
  const { child, stdin, stdout } = prisoner
  if (ledger === undefined) {
    channel.pipe(stdin)
    stdout.pipe(channel, { end: false })
    return
  }
  const watch = new SftpWatch(ledger, {
    holes: () => holesOf(child.pid!),
    free: () => freeAt(account.place.directory),
    toServer: (piece) => {
      if (!stdin.write(piece)) channel.pause()
    },
    toClient: (piece) => {
      if (!channel.write(piece)) stdout.pause()
    },
  })
  // Whoever says what no client says is not served any more.
  const guarded = (work: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      work(chunk)
    } catch {
      child.kill('SIGKILL')
    }
  }
  const goOn = () => {
    if (!watch.isHeld && !stdin.writableNeedDrain) channel.resume()
  }
  channel.on(
    'data',
    guarded((chunk) => {
      watch.fromClient(chunk)
      if (watch.isHeld) channel.pause()
    }),
  )
  stdout.on(
    'data',
    guarded((chunk) => {
      watch.fromServer(chunk)
      goOn()
    }),
  )
  stdout.resume()
  stdin.on('drain', goOn)
  channel.on('drain', () => stdout.resume())
  channel.once('end', () => stdin.end())
}

/** Channels that have ended, which may be before anything serves them. */
const ended = new WeakSet<ServerChannel>()

/** Notes the end of a channel from its beginning on. */
export function attend(channel: ServerChannel): void {
  channel.on('error', () => undefined)
  channel.once('close', () => ended.add(channel))
}

/** Tells whether nobody is there any more. */
export function hasEnded(channel: ServerChannel): boolean {
  return ended.has(channel)
}

/** Ties the lives of a channel and of what serves it together: a client waits for an exit status. */
export function connect(channel: ServerChannel, { child, stdin }: Prisoner): void {
  if (hasEnded(channel)) {
    child.kill('SIGKILL')
    return
  }
  let patience: NodeJS.Timeout | undefined
  channel.once('close', () => {
    stdin.end()
    patience = setTimeout(() => child.kill('SIGKILL'), goodbyeMs)
  })
  child.once('close', (code) => {
    clearTimeout(patience)
    channel.exit(code ?? 1)
    channel.end()
  })
}
