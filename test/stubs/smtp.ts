/** A real SMTP server whose answers a test can choose, and which keeps accepted mail. */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** Chooses the answer to a command: a refusal, or undefined to accept. */
export type Answering = () => { code: number; text: string } | undefined | Promise<undefined>

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The message as received. */
  readonly raw: string
  /** The unfolded value of a header. */
  header(name: string): string | undefined
}

export interface MailServer {
  readonly url: string
  readonly port: number
  /** Accepted mail; its confirmation was sent, or at least attempted. */
  readonly received: ReceivedMail[]
  /** Changed by the test at will; each function is called for the corresponding command. */
  behaviour: { sender?: Answering; recipient?: Answering; message?: Answering }
  /** Closes all connections. */
  cut(): void
  close(): Promise<void>
}

/** Starts a server on a free port; `options` enables TLS and logins. */
export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const received: ReceivedMail[] = []
  const judge = async (answering: Answering | undefined, done: (error?: Error) => void) => {
    const refusal = await answering?.()
    done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
  }
  const server = new SMTPServer({
    authOptional: true,
    ...(options.key ? {} : { disabledCommands: ['STARTTLS'] }),
    closeTimeout: 1,
    onMailFrom: (_address, _session, done) => void judge(opened.behaviour.sender, done),
    onRcptTo: (_address, _session, done) => void judge(opened.behaviour.recipient, done),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        const mail = toReceived(raw, envelope as never)
        void judge(opened.behaviour.message, (error) => {
          if (!error) received.push(mail)
          done(error)
        })
      })
    },
    ...options,
  })
  // Tests cut connections on purpose.
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const opened: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    behaviour: {},
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      opened.cut()
      await closed
    },
  }
  return opened
}

interface Envelope {
  readonly mailFrom: { readonly address: string }
  readonly rcptTo: readonly { readonly address: string }[]
}

function toReceived(raw: string, { mailFrom, rcptTo }: Envelope): ReceivedMail {
  const headers = raw
    .split('\r\n\r\n', 1)[0]!
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  return {
    from: mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    raw,
    header: (name) =>
      headers
        .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
        ?.slice(name.length + 1)
        .trim(),
  }
}
