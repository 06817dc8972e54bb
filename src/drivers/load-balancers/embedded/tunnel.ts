/** Carries bytes both ways between a client and a target, until both have ended or nothing moved for some time. */
import type { Socket } from 'node:net'

/** Joins two connections. `idleMs`: cuts both when nothing was sent or received for so long. */
export function joinSockets(client: Socket, target: Socket, idleMs: number): void {
  const cut = () => {
    client.destroy()
    target.destroy()
  }
  // All that moves either way passes through the connection of the client.
  client.setTimeout(idleMs, cut)
  target.setTimeout(0)
  client.on('error', cut)
  target.on('error', cut)
  client.once('close', () => endOf(client, target, idleMs))
  target.once('close', () => endOf(target, client, idleMs))
  client.pipe(target)
  target.pipe(client)
}

/** What one side has sent in full still reaches the other one; what broke off breaks off there as well. */
function endOf(closed: Socket, other: Socket, idleMs: number): void {
  if (!closed.readableEnded) return void other.destroy()
  other.destroySoon()
  // One that does not take it is not waited for any longer than one that says nothing.
  other.setTimeout(idleMs, () => other.destroy())
}
