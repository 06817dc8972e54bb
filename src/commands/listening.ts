/** Opens the listeners of `wolke serve`; errors name the option whose address failed. */
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { responseRates } from '../config/dns.ts'
import type { Listen } from '../config/listening.ts'
import type { Logger } from '../kernel/process/log.ts'
import { hostAndPort, type ListenAddress } from '../protocols/net/listen-address.ts'
import { CommandFailure } from './failure.ts'
import type { OptionFiles } from './options.ts'

/** The address of an open listener. */
export interface Opened {
  /** A URL, or `host:port` for the name server. */
  readonly at: string
  /** The default address that was already in use, when a free port replaced it. */
  readonly insteadOf?: string
}

export interface Listeners {
  readonly api: Opened
  readonly metadata: Opened | undefined
  readonly dns: Opened | undefined
  readonly metrics: Opened | undefined
}

interface Served {
  /** The name servers that may transfer zones. */
  readonly secondaries: OptionFiles['secondaries']
  /** Lets metrics be read at an address. */
  readonly serveMetrics?: ((at: ListenAddress) => Promise<string>) | undefined
}

/**
 * Opens all listeners; that of metrics is the first, so that they miss nothing. Errors: `CommandFailure` that names the option
 * whose address cannot be used.
 */
export async function openListeners(
  app: App,
  config: Config,
  log: Logger,
  { secondaries: transferTo, serveMetrics }: Served,
): Promise<Listeners> {
  const { listen, metadataListen, metadataPrefix, metricsListen, dnsListen } = config
  const dns = { transferTo, responseRates: responseRates(config), signatures: config.dnsSignatures }
  return {
    metrics: metricsListen && serveMetrics && (await open('--metrics-listen', metricsListen, log, serveMetrics)),
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

/** Falls back to a free port only for a default address, which another installation on this machine may use. */
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
      throw cannotListen(option, wanted, error)
  }
  const at = await start({ host: wanted.host, port: 0 }).catch((error: unknown) => {
    throw cannotListen(option, wanted, error)
  })
  const insteadOf = hostAndPort(wanted)
  log.warn({ option, default: insteadOf, at }, 'the default port is in use; listening on a free port')
  return { at, insteadOf }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'this account may not use this port',
  ENOTFOUND: 'the host does not exist',
}

/**
 * Explains why an option's address cannot be listened on. Errors that do not come from the socket, such as those of the
 * database, are passed on: the option is not their cause.
 */
export function cannotListen(option: string, wanted: ListenAddress, error: unknown): unknown {
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  const reason = code in reasons ? `${reasons[code]} (${code})` : message
  return new CommandFailure(`${option}: cannot listen on ${hostAndPort(wanted)}: ${reason}`)
}
