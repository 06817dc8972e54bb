/** Services of Load Balancers: their defaults, and what fits together. Pure (spec: Load Balancers). */
import type { Problem } from '../../../kernel/errors.ts'

export const protocols = ['tcp', 'http', 'https'] as const
export type Protocol = (typeof protocols)[number]
export const checkProtocols = ['tcp', 'http'] as const

/** Seconds and lengths in characters, as far as the schema can check them. */
export const bounds = {
  port: { least: 1, most: 65_535 },
  cookieName: 64,
  cookieLifetime: { least: 1, most: 31_536_000 },
  certificates: 100,
  idleTimeout: { least: 30, most: 300 },
  interval: { least: 3, most: 60 },
  timeout: { least: 1, most: 60 },
  retries: { least: 1, most: 10 },
  domain: 253,
  path: 1_024,
  response: 1_024,
  statusCode: 3,
  statusCodes: 30,
} as const

export interface Http {
  readonly cookieName: string
  /** In seconds, as `idleTimeout`. */
  readonly cookieLifetime: number
  readonly certificates: readonly number[]
  readonly redirectsHttp: boolean
  readonly isSticky: boolean
  readonly idleTimeout: number
}

export interface CheckHttp {
  readonly domain: string
  readonly path: string
  readonly response: string
  readonly statusCodes: readonly string[]
  readonly usesTls: boolean
}

export interface HealthCheck {
  readonly protocol: (typeof checkProtocols)[number]
  readonly port: number
  /** In seconds, as `timeout`. */
  readonly interval: number
  readonly timeout: number
  readonly retries: number
  /** Null unless the protocol is `http`. */
  readonly http: CheckHttp | null
}

export interface Service {
  readonly protocol: Protocol
  readonly listenPort: number
  readonly destinationPort: number
  readonly usesProxyProtocol: boolean
  /** Null for tcp. */
  readonly http: Http | null
  readonly healthCheck: HealthCheck
}

/** A value that a request may leave out; null says the same. */
type Omissible<T> = T | null | undefined

/** What a request says of a service. */
export interface AskedService {
  readonly protocol?: Omissible<Protocol>
  readonly listen_port?: Omissible<number>
  readonly destination_port?: Omissible<number>
  readonly proxyprotocol?: Omissible<boolean>
  readonly http?: Omissible<{
    readonly cookie_name?: Omissible<string>
    readonly cookie_lifetime?: Omissible<number>
    readonly certificates?: Omissible<readonly number[]>
    readonly redirect_http?: Omissible<boolean>
    readonly sticky_sessions?: Omissible<boolean>
    readonly timeout_idle?: Omissible<number>
  }>
  readonly health_check?: Omissible<{
    readonly protocol?: Omissible<HealthCheck['protocol']>
    readonly port?: Omissible<number>
    readonly interval?: Omissible<number>
    readonly timeout?: Omissible<number>
    readonly retries?: Omissible<number>
    readonly http?: Omissible<{
      readonly domain?: Omissible<string>
      readonly path?: Omissible<string>
      readonly response?: Omissible<string>
      readonly status_codes?: Omissible<readonly string[]>
      readonly tls?: Omissible<boolean>
    }>
  }>
}

const usualHttp: Http = {
  cookieName: 'HCLBSTICKY',
  cookieLifetime: 300,
  certificates: [],
  redirectsHttp: false,
  isSticky: false,
  idleTimeout: 50,
}

const usualCheckHttp: CheckHttp = { domain: '', path: '/', response: '', statusCodes: ['2??', '3??'], usesTls: false }

const usualPort = { http: 80, https: 443 } as const

/** The port that redirects to HTTPS listen on. */
export const redirectPort = 80

/** A service, or what is wrong with what was asked for. */
export type ServiceResult = { readonly service: Service } | { readonly problems: readonly Problem[] }

/** A service that a request adds. */
export function newService(asked: AskedService & { readonly protocol: Protocol }): ServiceResult {
  const { protocol } = asked
  const listenPort = asked.listen_port ?? (protocol === 'tcp' ? undefined : usualPort[protocol])
  const destinationPort = asked.destination_port ?? (protocol === 'tcp' ? undefined : 80)
  if (listenPort === undefined || destinationPort === undefined) {
    const missing = [
      listenPort === undefined ? 'listen_port' : [],
      destinationPort === undefined ? 'destination_port' : [],
    ]
    return { problems: missing.flat().map((field) => ({ field, message: 'is required for tcp' })) }
  }
  const healthCheck = {
    protocol: protocol === 'tcp' ? 'tcp' : 'http',
    port: destinationPort,
    interval: 15,
    timeout: 10,
    retries: 3,
    http: protocol === 'tcp' ? null : usualCheckHttp,
  } as const
  const http = protocol === 'tcp' ? null : usualHttp
  const usual = { protocol, listenPort, destinationPort, usesProxyProtocol: false, http, healthCheck }
  const service = after(usual, asked)
  return checked(service, misplacedIn(service, asked))
}

/** A service after a change of what a request names; the rest stays (spec: Load Balancers). */
export function changed(service: Service, asked: AskedService): ServiceResult {
  const wanted = after(service, asked)
  const isMisplaced = wanted.protocol === 'tcp' && Object.values(asked.http ?? {}).some(saysSomething)
  // Clients name an empty object with every change, and what a check by HTTP had when it becomes one by TCP.
  return checked(wanted, isMisplaced ? [misplacedHttp] : [])
}

/** Clients name certificates also where they have none. */
const saysSomething = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0)

function after(service: Service, asked: AskedService): Service {
  const protocol = asked.protocol ?? service.protocol
  return {
    protocol,
    listenPort: service.listenPort,
    destinationPort: asked.destination_port ?? service.destinationPort,
    usesProxyProtocol: asked.proxyprotocol ?? service.usesProxyProtocol,
    http: protocol === 'tcp' ? null : httpAfter(service.http ?? usualHttp, protocol, asked.http),
    healthCheck: checkAfter(service.healthCheck, asked.health_check),
  }
}

/** What only TLS has goes with it. */
function httpAfter(http: Http, protocol: Protocol, asked: AskedService['http']): Http {
  const wanted: Http = {
    cookieName: asked?.cookie_name ?? http.cookieName,
    cookieLifetime: asked?.cookie_lifetime ?? http.cookieLifetime,
    certificates: [...new Set(asked?.certificates ?? http.certificates)],
    redirectsHttp: asked?.redirect_http ?? http.redirectsHttp,
    isSticky: asked?.sticky_sessions ?? http.isSticky,
    idleTimeout: asked?.timeout_idle ?? http.idleTimeout,
  }
  if (protocol === 'https') return wanted
  return {
    ...wanted,
    certificates: asked?.certificates ? wanted.certificates : [],
    redirectsHttp: asked?.redirect_http ?? false,
  }
}

function checkAfter(check: HealthCheck, asked: AskedService['health_check']): HealthCheck {
  const protocol = asked?.protocol ?? check.protocol
  const http = check.http ?? usualCheckHttp
  const more = asked?.http
  return {
    protocol,
    port: asked?.port ?? check.port,
    interval: asked?.interval ?? check.interval,
    timeout: asked?.timeout ?? check.timeout,
    retries: asked?.retries ?? check.retries,
    http:
      protocol === 'tcp'
        ? null
        : {
            // Here null means that no host is named, and only what is missing stays.
            domain: more && more.domain !== undefined ? (more.domain ?? '') : http.domain,
            path: more?.path ?? http.path,
            response: more?.response ?? http.response,
            statusCodes: more?.status_codes ?? http.statusCodes,
            usesTls: more?.tls ?? http.usesTls,
          },
  }
}

// ---- What is refused -----------------------------------------------------------------------------------------------

/** A service, unless something is wrong with it or with what was asked for. */
function checked(service: Service, misplaced: readonly Problem[]): ServiceResult {
  const problems = [...problemsOf(service), ...misplaced]
  return problems.length > 0 ? { problems } : { service }
}

const cookieName = /^[!#$%&'*+.^_`|~\w-]+$/
/** Printable ASCII without a space, as `plainPath`. */
const hostHeader = /^[!-$&-[\]-~]*$/
const plainPath = /^\/[!-~]*$/
const statusCode = /^([1-5?][0-9?]{2}|[1-5?][0-9?]?\*|\*)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controls = /[\u0000-\u001f\u007f]/

function problemsOf({ protocol, http, healthCheck }: Service): Problem[] {
  const problems: Problem[] = []
  const refuse = (field: string, message: string) => void problems.push({ field, message })
  if (http && !cookieName.test(http.cookieName)) refuse('http.cookie_name', 'must be a token of RFC 9110')
  if (http && protocol === 'https' && http.certificates.length === 0) refuse('http.certificates', 'needs a certificate')
  if (http && protocol === 'http' && http.certificates.length > 0) refuse('http.certificates', 'is for https alone')
  if (http && protocol === 'http' && http.redirectsHttp) refuse('http.redirect_http', 'is for https alone')
  if (healthCheck.timeout > healthCheck.interval) {
    refuse('health_check.timeout', `must be at most the interval of ${healthCheck.interval} seconds`)
  }
  if (healthCheck.http) problems.push(...problemsOfCheck(healthCheck.http))
  return problems
}

function problemsOfCheck({ domain, path, response, statusCodes }: CheckHttp): Problem[] {
  const problems: Problem[] = []
  const refuse = (field: string, message: string) =>
    void problems.push({ field: `health_check.http.${field}`, message })
  if (!hostHeader.test(domain)) refuse('domain', 'must have no spaces, percent signs or backslashes')
  if (!plainPath.test(path)) refuse('path', 'must begin with a slash and have no spaces')
  if (controls.test(response)) refuse('response', 'must not have control characters')
  if (statusCodes.length === 0) refuse('status_codes', 'must not be empty')
  const wrong = statusCodes.findIndex((pattern) => !statusCode.test(pattern))
  if (wrong !== -1) refuse(`status_codes[${wrong}]`, 'must be a status such as 200, 2?? or 3*')
  return problems
}

const misplacedHttp: Problem = { field: 'http', message: 'must not be given for tcp' }

/** What a new service was asked for although its protocol has no place for it. */
function misplacedIn({ protocol, healthCheck }: Service, asked: AskedService): Problem[] {
  const problems: Problem[] = []
  if (protocol === 'tcp' && asked.http) problems.push(misplacedHttp)
  if (healthCheck.protocol === 'tcp' && asked.health_check?.http) {
    problems.push({ field: 'health_check.http', message: 'must not be given for a check by tcp' })
  }
  return problems
}

// ---- All services of a Load Balancer -------------------------------------------------------------------------------

/** The first port that two of some services listen on; undefined when every port has one service. */
export function portTakenTwice(services: readonly Service[]): number | undefined {
  const ports = services.flatMap(({ listenPort, http }) =>
    http?.redirectsHttp ? [listenPort, redirectPort] : [listenPort],
  )
  return ports.find((port, index) => ports.indexOf(port) !== index)
}

/** The certificates that some services use, each once. */
export function certificatesOf(services: readonly Service[]): number[] {
  return [...new Set(services.flatMap(({ http }) => http?.certificates ?? []))]
}
