/**
 * Consoles of servers on real hosts: the text console of an instance, which for a virtual machine is its serial one, as a
 * screen. Incus gives it to one connection at a time, which all who look at a server through this process share; another
 * process that asks for it takes it over. Consoles of virtual machines were not tried, as they need KVM.
 */

import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { WebSocket } from 'ws'
import type { ConsoleDriver } from '../../../families/servers/screens/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import { type Incus, IncusError, type Operation } from '../../../protocols/incus/client.ts'
import type { Instance } from '../../../protocols/incus/edit.ts'
import { EmulatedScreen } from '../../../protocols/rfb/emulator.ts'
import { Keyboard } from '../../../protocols/rfb/keyboard.ts'
import { RfbServer } from '../../../protocols/rfb/server.ts'
import { columns, lines } from '../../../protocols/rfb/text-screen.ts'
import { instanceOf } from '../servers/guest.ts'

/**
 * The pause before it is asked again whether a server still runs, in milliseconds: Incus leaves the console of one that
 * stopped open.
 */
const watchMs = 2_000
/** It may take so long until somebody sees a console, in milliseconds: a host that hangs takes that long for each part. */
const usualOpenMs = 30_000
/** Input that was typed and not read; more is dropped, as by a terminal whose program does not read. */
const mostUnreadBytes = 65_536

/** Creates the driver of consoles. `close` ends all that are open. */
export function incusConsoles(incus: Incus, openMs = usualOpenMs): { readonly driver: ConsoleDriver; close(): void } {
  const consoles = new Map<number, Promise<TextConsole>>()

  /** Two who ask at the same time wait for the same one. */
  const connect = (server: number): Promise<TextConsole> => {
    const forget = () => {
      if (consoles.get(server) === connecting) consoles.delete(server)
    }
    const connecting = TextConsole.connect(incus, server, forget)
    consoles.set(server, connecting)
    connecting.catch(forget)
    return connecting
  }

  const reach = async (server: number): Promise<TextConsole> => {
    const known = await consoles.get(server)
    return known?.isOpen ? known : await (consoles.get(server) ?? connect(server))
  }

  return {
    driver: {
      async open(server) {
        const reached = reach(server)
        try {
          const open = (await inTime(reached, openMs)) as TextConsole
          if (!open.isOpen) throw new DriverError('the console ended at once', { transient: true })
          return open.view()
        } catch (error) {
          // Once it is there nobody may be left who waits for it. Why it never is was told.
          reached.then((late) => setImmediate(() => late.endUnlessViewed())).catch(() => undefined)
          throw error
        }
      },
    },
    close() {
      // One that could not be opened has told whoever asked for it.
      for (const one of consoles.values()) one.then((open) => open.end()).catch(() => undefined)
    },
  }
}

/** The connection to the console of one instance. */
class TextConsole {
  readonly #name: string
  readonly #sockets: Sockets
  readonly #screen: EmulatedScreen
  readonly #viewers = new Set<RfbServer>()
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined
  isOpen = true

  private constructor(name: string, sockets: Sockets, screen: EmulatedScreen, onEnd: () => void) {
    this.#name = name
    this.#sockets = sockets
    this.#screen = screen
    this.#onEnd = onEnd
    // However it ends, whoever looks learns of it when all that was written before is shown.
    pipeline(sockets.output, screen)
      .finally(() => this.end())
      .catch(() => undefined)
  }

  /** Errors: `DriverError`, a permanent one when the instance does not run. */
  static async connect(incus: Incus, server: number, onEnd: () => void): Promise<TextConsole> {
    const instance = await runningOf(incus, server)
    if (!instance) throw new DriverError('the server has no power', { transient: false })
    const sockets = await openSockets(incus, instance)
    try {
      let isPast = true
      const screen = await EmulatedScreen.open((reply) => {
        // Questions that programs asked in the past were answered in the past.
        if (!isPast) type(sockets.data, reply)
      })
      const past = await pastOutput(incus, instance)
      await new Promise<void>((resolve) => void screen.write(past, () => resolve()))
      isPast = false
      const opened = new TextConsole(instance.config['user.wolke.name'] ?? instance.name, sockets, screen, onEnd)
      opened.#watch(async () => (await runningOf(incus, server))?.last_used_at === instance.last_used_at)
      return opened
    } catch (error) {
      closeSockets(sockets)
      throw error
    }
  }

  /** Somebody who looks: with the last one, the connection ends. */
  view(): RfbServer {
    const keyboard = new Keyboard()
    const viewer = new RfbServer({
      name: this.#name,
      screen: this.#screen,
      key: (keysym, isDown) => type(this.#sockets.data, keyboard.key(keysym, isDown, this.#screen.hasApplicationKeys)),
    })
    this.#viewers.add(viewer)
    viewer.once('close', () => {
      this.#viewers.delete(viewer)
      this.endUnlessViewed()
    })
    return viewer
  }

  endUnlessViewed(): void {
    if (this.#viewers.size === 0) this.end()
  }

  /** Ends with the power of the server, and with a host that does not answer. */
  #watch(isSameRun: () => Promise<boolean>): void {
    this.#timer = setTimeout(async () => {
      const isSame = await isSameRun().catch(() => false)
      if (!isSame) this.end()
      else if (this.isOpen) this.#watch(isSameRun)
    }, watchMs)
    // The connection keeps the process alive.
    this.#timer.unref()
  }

  end(): void {
    if (!this.isOpen) return
    this.isOpen = false
    clearTimeout(this.#timer)
    this.#onEnd()
    closeSockets(this.#sockets)
    for (const viewer of this.#viewers) viewer.close()
  }
}

/** An instance that runs, and when it was started. */
type Running = Instance & { readonly last_used_at: string }

async function runningOf(incus: Incus, server: number): Promise<Running | undefined> {
  const instance = (await instanceOf(incus, server)) as Running | undefined
  return instance?.status === 'Running' ? instance : undefined
}

/** The connections of a console: its bytes, and what belongs to it, such as its end. */
interface Sockets {
  readonly data: WebSocket
  /** Bytes that come in through `data`. */
  readonly output: Duplex
  readonly control: WebSocket
}

async function openSockets(incus: Incus, { name }: Instance): Promise<Sockets> {
  const { createWebSocketStream } = await import('ws')
  const body = { type: 'console', width: columns, height: lines, force: true }
  const { operation } = await incus.begin('POST', `/1.0/instances/${name}/console`, body)
  if (!operation) throw new DriverError(`The hosts gave no console of ${name}`, { transient: true })
  const secrets = operation.metadata?.fds as Readonly<Record<string, string>>
  const open = ({ id }: Operation, secret: string) =>
    incus.webSocket(`/1.0/operations/${id}/websocket?secret=${encodeURIComponent(secret)}`)
  const control = await open(operation, secrets.control!)
  // Its end is that of the other one, which tells.
  control.on('error', () => control.terminate())
  try {
    const data = await open(operation, secrets['0']!)
    const output = createWebSocketStream(data)
    // It may fail before anybody reads it, who then finds it ended.
    output.on('error', () => data.terminate())
    return { data, control, output }
  } catch (error) {
    control.terminate()
    throw error
  }
}

function closeSockets({ data, control }: Sockets): void {
  for (const socket of [data, control]) socket.terminate()
}

function type(socket: WebSocket, text: string): void {
  if (text === '' || socket.readyState !== socket.OPEN || socket.bufferedAmount > mostUnreadBytes) return
  socket.send(Buffer.from(text))
}

/** Reads what the console has shown before; nothing where Incus keeps none of it. Errors: `DriverError`. */
async function pastOutput(incus: Incus, { name }: Instance): Promise<string> {
  try {
    return await incus.text(`/1.0/instances/${name}/console`)
  } catch (error) {
    // A console without its past is better than none.
    if (error instanceof IncusError) return ''
    throw error
  }
}
