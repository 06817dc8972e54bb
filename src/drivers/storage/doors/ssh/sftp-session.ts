/** A session of SFTP: the bytes of a channel go to a file server in its jail, watched where the doors count. */
import type { ServerChannel } from 'ssh2'
import { type Account, jailOf } from '../accounts.ts'
import { begun } from '../begun.ts'
import { startFileServer } from '../sftp/server.ts'
import { connectWatched } from '../sftp/watched.ts'
import { connectWorded } from '../sftp/worded.ts'
import { writeTogether } from '../together.ts'
import { connect } from './channels.ts'

/** Serves a channel until it ends. Errors: those of `startFileServer` and `begun`, before anything was served. */
export async function serveSftp(channel: ServerChannel, account: Account): Promise<void> {
  const prisoner = await begun(await startFileServer(jailOf(account)), account)
  connect(channel, prisoner)
  writeTogether(prisoner.stdin)
  const { ledger, directory } = account.place
  if (ledger) return connectWatched(channel, prisoner, { ledger, directory, isReadonly: account.state.isReadonly })
  connectWorded(channel, prisoner, directory)
}
