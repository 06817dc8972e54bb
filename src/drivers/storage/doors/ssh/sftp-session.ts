/** A session of SFTP: the bytes of a channel go to a file server in its jail, watched where the doors count. */
import type { ServerChannel } from 'ssh2'
import { type Account, jailOf } from '../accounts.ts'
import { begun } from '../begun.ts'
import { freeAt, holesOf } from '../sftp/kernel.ts'
import { startFileServer } from '../sftp/server.ts'
import { SftpWatch } from '../sftp/watch.ts'
import { writeTogether } from '../together.ts'
import { connect } from './channels.ts'

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
