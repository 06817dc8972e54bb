/** `wolke proxy` leads programs that have no setting for the endpoint of the API to a server of one's own. */
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { absoluteName } from '../config/dns.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { quoted } from '../kernel/process/shell-words.ts'
import { endWithin } from './exit.ts'
import { CommandFailure } from './failure.ts'
import { cannotListen } from './listening.ts'

interface ProxySettings {
  readonly port: number
  readonly to: URL
  readonly hosts: readonly string[]
  readonly caFolder: string
}

/** The public API has a second host, for Storage Boxes. */
export const publicHosts = ['api.hetzner.cloud', 'api.hetzner.com']

/** The longest time that a stop may take, in milliseconds. */
const stopMs = 9_000

export function proxyCommand(): Command {
  return new Command('proxy')
    .description('lead programs without a setting for the endpoint here, as their HTTPS proxy on this machine')
    .addOption(new Option('--port <port>', 'port on 127.0.0.1; 0 picks a free one').argParser(port).default(8088))
    .addOption(
      new Option('--to <url>', 'the server to which requests go')
        .argParser(origin)
        .default(new URL('http://127.0.0.1:8080'), 'http://127.0.0.1:8080'),
    )
    .addOption(
      new Option('--hosts <name,...>', 'hosts that programs ask for; connections to all others are refused')
        .argParser(hosts)
        .default(publicHosts, publicHosts.join(',')),
    )
    .addOption(
      new Option('--ca-folder <path>', 'folder of the certificate to trust and its key; made if missing').default(
        'data/proxy',
      ),
    )
    .action((options: ProxySettings) => proxy(options))
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Expected a port.')
  return Number(text)
}

function origin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Expected a server without a path, such as http://127.0.0.1:8080.')
  }
  return url
}

const hosts = (text: string) => text.split(',').map((name) => absoluteName(name.trim()).slice(0, -1))

async function proxy({ port, to, hosts, caFolder }: ProxySettings): Promise<void> {
  // Loaded only here, to keep the start of a server fast.
  const [{ openAuthority }, { openProxy }] = await Promise.all([
    import('../proxy/authority.ts'),
    import('../proxy/proxy.ts'),
  ])
  const authority = await openAuthority({ folder: resolve(caFolder), hosts, clock: runningClock() }).catch(
    (error: Error) => {
      throw new CommandFailure(`--ca-folder: ${error.message}`, 2)
    },
  )
  const { identity } = authority
  const opened = await openProxy({ port, target: to, hosts, identity, tell: console.error }).catch((error: unknown) => {
    throw cannotListen('--port', { host: '127.0.0.1', port }, error)
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      endWithin(stopMs)
      void opened.stop()
    })
  }
  const led = hosts.map((host) => `https://${host}`).join(' and ')
  process.stdout.write(`${led} lead to ${to.origin}; everything else is refused.\n\n`)
  process.stdout.write(settings(opened.url, authority.certificateFile))
}

/** The variables that make programs in most languages use the proxy and trust it. */
export function proxyVariables(url: string, certificateFile: string): Record<string, string> {
  const trust = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS']
  return {
    HTTPS_PROXY: url,
    NO_PROXY: '127.0.0.1,localhost',
    NODE_USE_ENV_PROXY: '1',
    ...Object.fromEntries(trust.map((name) => [name, certificateFile])),
  }
}

/** The settings of programs, as they are pasted into the shell that starts one. */
function settings(url: string, certificateFile: string): string {
  const file = quoted(certificateFile)
  const java = `-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${new URL(url).port} -Djavax.net.ssl.trustStore=wolke.p12 -Djavax.net.ssl.trustStorePassword=changeit`
  return `Programs in Go, Python and most others, and curl, in the shell that runs them:
  export HTTPS_PROXY=${url} NO_PROXY=127.0.0.1,localhost
  export SSL_CERT_FILE=${file} REQUESTS_CA_BUNDLE=${file} CURL_CA_BUNDLE=${file}
Node.js, besides HTTPS_PROXY:
  export NODE_USE_ENV_PROXY=1 NODE_EXTRA_CA_CERTS=${file}
Java:
  keytool -importcert -noprompt -alias wolke -file ${file} -keystore wolke.p12 -storepass changeit
  export JAVA_TOOL_OPTIONS='${java}'
`
}
