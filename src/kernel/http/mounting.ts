/** An edge takes these options, and lets endpoints and pages be mounted. */
import type { IncomingMessage } from 'node:http'
import type { Sessions } from '../access/principal.ts'
import type { Standing } from '../access/standing.ts'
import type { Authenticator } from '../access/tokens.ts'
import type { AuditLog } from '../audit/log.ts'
import type { Endpoints, Handlers } from '../contract/contract.ts'
import type { Queries } from '../data/db.ts'
import type { Limits } from './admission/admission.ts'
import type { Observe } from './api/exchange.ts'
import type { Interceptor } from './interceptor.ts'
import type { OpenPage } from './pages/open-pages.ts'
import type { PageTree } from './pages/page-trees.ts'
import type { ServedRoute } from './pages/served.ts'
import type { ServerOptions } from './server/server.ts'
import type { StreamPath, StreamsOptions } from './streams/streams.ts'

export interface EdgeOptions extends Omit<ServerOptions, 'trust'> {
  readonly authenticator: Authenticator
  /** A handle that looks up the labels of what requests name; without it, who sees only some resources sees none. */
  readonly query?: Queries
  /** Finds the people behind sessions; without it nobody has one. */
  readonly sessions?: Sessions
  /** Asks again whether those who listen to streams still may; without it nobody is asked. */
  readonly standing?: Standing
  readonly streams?: StreamsOptions['streams']
  readonly limits: Limits
  readonly audit?: AuditLog
  readonly vendor: string
  /** The roots below which families of the public API are; the usual one by default. */
  readonly bases?: readonly string[]
  /** The titles of public families that this installation lacks, by their paths with their roots. */
  readonly lacking?: Readonly<Record<string, string>>
  /** Origins of the API, such as `https://cloud.example.com`. */
  readonly publicOrigins?: readonly string[]
  /** Networks of proxies that are believed when they say for whom they ask. */
  readonly trustedProxies?: readonly string[]
  readonly observe?: Observe
  readonly interceptor?: Interceptor
  /** Tells which requests change the clouds behind it, so that the change does not wait for them. */
  readonly isChange?: (request: IncomingMessage) => boolean
}

/** An edge on which endpoints and pages can be mounted. */
export interface Mounting {
  /**
   * Mounts endpoints below a base, which is that of the public API by default. Whoever asks for them below one of `others`
   * gets the same, as if the base had been asked for.
   */
  mount<const T extends Endpoints>(endpoints: T, handlers: Handlers<T>, base?: string, others?: readonly string[]): void
  open(page: OpenPage): void
  openTree(tree: PageTree): void
  serve(routes: readonly ServedRoute[]): void
  /** Lets people listen to server-sent events at a path. */
  stream(path: StreamPath): void
}
