/** Opens what `wolke serve` listens on, and says in the options' words why it cannot. */
import type { App } from '../app.ts'
import type { Config, Listen } from '../config.ts'
import { responseRates } from '../config-dns.ts'
import type { Logger } from '../kernel/process/log.ts'
import { hostAndPort, type ListenAddress } from '../net/listen-address.ts'
import { CommandFailure } from './failure.ts'

/** Where somebody listens. */
export interface Opened {
  /** A URL, or host and port of a name server. */
  readonly at: string
  /** The default address that was taken, when another one took its place. */
  readonly insteadOf?: string
}

export interface Listeners {
  readonly api: Opened
  readonly metadata: Opened | undefined
  readonly dns: Opened | undefined
}

/** Opens all listeners. Errors: `CommandFailure` names the option whose address cannot be had. */
export async function openListeners(app: App, config: Config, log: Logger): Promise<Listeners> {
  const { listen, metadataListen, metadataPrefix, dnsListen, dnsTransferTo: transferTo } = config
  const dns = { transferTo, responseRates: responseRates(config) }
  return {
    api: await open('--listen', listen, log, (at) => app.listen(at)),
    metadata:
      metadataListen === 'off'
        ? undefined
        : await open('--metadata-listen', metadataListen, log, (at) => app.serveMetadata(at, metadataPrefix)),
    dns:
      dnsListen === 'off'
        ? undefined
        : await open('--dns-listen', dnsListen, log, async (at) => hostAndPort(await app.serveDns(at, dns))),
  }
}

/** A default address may be taken by another installation on the same machine, one that was asked for may not. */
async function open(
  option: string,
  wanted: Listen,
  log: Logger,
  start: (at: ListenAddress) => Promise<string>,
): Promise<Opened> {
  try {
    return { at: await start(wanted) }
  } catch (error) {
    if (!wanted.mayMove || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE')
      throw explained(option, wanted, error)
  }
  const at = await start({ host: wanted.host, port: 0 }).catch((error: unknown) => {
    throw explained(option, wanted, error)
  })
  const insteadOf = hostAndPort(wanted)
  log.warn({ option, default: insteadOf, at }, 'the default port is taken; listening on a free one')
  return { at, insteadOf }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this account may not use the port',
  ENOTFOUND: 'there is no such host',
}

/** A failure that is not of the socket, such as that of the database, is not the option's. */
function explained(option: string, wanted: ListenAddress, error: unknown): unknown {
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  const reason = code in reasons ? `${reasons[code]} (${code})` : message
  return new CommandFailure(`${option}: cannot listen on ${hostAndPort(wanted)}: ${reason}`)
}
