/** A client and a file server with a watch between them, where nobody else counts what a box takes. */
import type { Duplex } from 'node:stream'
import type { Prisoner } from '../jail/confine.ts'
import type { Ledger } from '../ledger.ts'
import { freeAt, holesOf } from './kernel.ts'
import { SftpWatch } from './watch.ts'

/** A box as whoever counts it knows it: its ledger, and the directory of its files. */
export interface WatchedBox {
  readonly ledger: Ledger
  readonly directory: string
  /** Whoever comes changes nothing in it. */
  readonly isReadonly: boolean
}

/** Has a client speak with a file server until either ends; the server ends with its client. */
export function connectWatched(
  client: Duplex,
  prisoner: Prisoner,
  { ledger, directory, isReadonly }: WatchedBox,
): void {
  const { child, stdin, stdout } = prisoner
  const watch = new SftpWatch(ledger, {
    holes: () => holesOf(child.pid!),
    free: () => freeAt(directory),
    toServer: (piece) => {
      if (!stdin.write(piece)) client.pause()
    },
    toClient: (piece) => {
      if (!client.write(piece)) stdout.pause()
    },
  })
  // Whoever says what nobody says is not served any more, nor whoever writes what cannot be counted.
  const guarded = (work: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      work(chunk)
    } catch {
      child.kill('SIGKILL')
    }
  }
  const goOn = () => {
    if (!watch.isHeld && !stdin.writableNeedDrain) client.resume()
  }
  client.on(
    'data',
    guarded((chunk) => {
      watch.fromClient(chunk)
      if (watch.isHeld) client.pause()
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
  client.on('drain', () => stdout.resume())
  client.once('end', () => stdin.end())
  child.once('close', () => {
    watch.end()
    // It may have written less than was charged, or may have been killed before it said what it did.
    if (!isReadonly) ledger.changed()
  })
}
