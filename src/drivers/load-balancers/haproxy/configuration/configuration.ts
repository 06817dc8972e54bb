/**
 * Writes HAProxy's files for the state of a balancer. Paths are relative to the balancer's folder, and nothing here
 * depends on the machine, so equal states have equal files.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type {
  BalancerHealthCheck,
  BalancerHttp,
  BalancerService,
  BalancerState,
  BalancerTarget,
} from '../../../../families/load-balancers/driver.ts'
import { certificateFiles, listPath } from './certificates.ts'
import { endpoint, expressionOf, quote, quoteCookieName, quoteVisible, refuse, statusExpression } from './text.ts'

export const configurationPath = 'haproxy.cfg'
/** What a check reports when the answer does not contain the text. */
export const contentLabel = 'wolke-content'
/** HAProxy's workers and their connections end by then after a change, in seconds. */
const longestGoodbye = 3_600
/** How long a connection of a TCP service may be idle, in seconds. */
const tcpIdleSeconds = 50
/** How much of an answer is searched for the text of a check, in bytes. */
const bufferBytes = 32_768
/** Nobody, on every system. */
const unprivileged = 65_534

/** All files of a balancer, by path. Errors: a permanent `DriverError` for what HAProxy cannot express. */
export function filesOf(state: BalancerState): Map<string, string> {
  return new Map([[configurationPath, configurationOf(state)], ...certificateFiles(state.services)])
}

/** The configuration of a balancer. Errors: a permanent `DriverError` for what HAProxy cannot express. */
export function configurationOf(state: BalancerState): string {
  const sections = [global(state), defaults, ...state.services.flatMap((service) => serviceSections(state, service))]
  return sections.map(([title, ...lines]) => [title, ...lines.map((line) => `    ${line}`), ''].join('\n')).join('\n')
}

/** Where fewer files can be open than connections need, it carries as many as it can, and says so in its log. */
function global({ maxConnections }: BalancerState): string[] {
  return [
    'global',
    `maxconn ${maxConnections}`,
    'no strict-limits',
    'nbthread 1',
    `uid ${unprivileged}`,
    `gid ${unprivileged}`,
    'chroot empty',
    'stats socket unix@worker.sock mode 600 level user',
    'server-state-file state',
    `hard-stop-after ${longestGoodbye}s`,
    `tune.bufsize ${bufferBytes}`,
    'ssl-default-bind-options ssl-min-ver TLSv1.2',
  ]
}

/**
 * Without the first option reloads reset idle connections; without the second one long connections count when they end.
 * Connections beyond the limit wait until others end, and as many may wait as the system allows.
 */
const defaults = [
  'defaults',
  'option idle-close-on-response',
  'option contstats',
  'option redispatch 1',
  'load-server-state-from-file global',
  'timeout http-request 10s',
  'backlog 4096',
]

function serviceSections(state: BalancerState, service: BalancerService): string[][] {
  const redirect = service === redirected(state) ? [redirectFrontend(state, service)] : []
  return [frontend(state, service), ...redirect, backend(state, service)]
}

/** The service that port 80 redirects to, if that is free for it. */
function redirected({ services }: BalancerState): BalancerService | undefined {
  if (services.some(({ listenPort }) => listenPort === 80)) return undefined
  return services.find(({ http }) => http?.redirectsHttp)
}

function frontend(state: BalancerState, service: BalancerService): string[] {
  const { listenPort, protocol, http } = service
  const tls = protocol === 'https' ? ` ssl crt-list ${listPath(service)} alpn h2,http/1.1` : ''
  return [
    `frontend service_${listenPort}`,
    `mode ${http ? 'http' : 'tcp'}`,
    ...binds(state, listenPort).map((line) => `${line}${tls}`),
    `maxconn ${state.maxConnections}`,
    `timeout client ${idleSeconds(service)}s`,
    ...(http ? forwarding(protocol, http) : []),
    `default_backend ${backendName(service)}`,
  ]
}

function binds({ publicAddresses, place }: BalancerState, port: number): string[] {
  const addresses = [...publicAddresses, ...(place ? [place.address] : [])]
  return addresses.map((address) => `bind ${endpoint(checkedAddress(address), port)}`)
}

function forwarding(protocol: 'http' | 'https' | 'tcp', { idleTimeout }: BalancerHttp): string[] {
  return [
    `timeout http-keep-alive ${idleTimeout}s`,
    'option forwardfor',
    `http-request set-header X-Forwarded-Proto ${protocol}`,
    'http-request set-header X-Forwarded-Port %[dst_port]',
  ]
}

function redirectFrontend(state: BalancerState, { listenPort }: BalancerService): string[] {
  const port = listenPort === 443 ? '' : `:${listenPort}`
  return [
    `frontend service_${listenPort}_redirect`,
    'mode http',
    ...binds(state, 80),
    `maxconn ${state.maxConnections}`,
    'timeout client 10s',
    'http-request deny deny_status 400 unless { req.hdr(host) -m found }',
    `http-request redirect location 'https://%[req.hdr(host),regsub(:[0-9]+$,)]${port}%[pathq]' code 301`,
  ]
}

function backend(state: BalancerState, service: BalancerService): string[] {
  const { http, healthCheck } = service
  return [
    `backend ${backendName(service)}`,
    `mode ${http ? 'http' : 'tcp'}`,
    `balance ${state.algorithm === 'round_robin' ? 'roundrobin' : 'leastconn'}`,
    `timeout connect ${healthCheck.timeout}s`,
    `timeout check ${healthCheck.timeout}s`,
    `timeout server ${idleSeconds(service)}s`,
    // Tunnels take no other timeout than this one.
    `timeout tunnel ${idleSeconds(service)}s`,
    ...(http?.isSticky ? stickiness(http, state.cookieSecret) : []),
    ...httpCheck(healthCheck),
    ...state.targets.map((target) => server(state, service, target)),
  ]
}

/** Changes with what decides about health, so that no health of before is taken for one of after. */
function backendName({ listenPort, destinationPort, usesProxyProtocol, healthCheck }: BalancerService): string {
  const decisive = JSON.stringify([destinationPort, usesProxyProtocol, healthCheck])
  return `targets_${listenPort}_${createHash('sha256').update(decisive).digest('hex').slice(0, 8)}`
}

const idleSeconds = ({ http }: BalancerService) => http?.idleTimeout ?? tcpIdleSeconds

/** Clients bound the life of the cookie: HAProxy would have to set it again and again for that. */
function stickiness({ cookieName, cookieLifetime }: BalancerHttp, secret: string): string[] {
  const name = quoteCookieName(cookieName)
  const key = createHash('sha256').update(secret).digest('hex')
  return [
    `cookie ${name} insert indirect nocache httponly attr Max-Age=${cookieLifetime} dynamic`,
    `dynamic-cookie-key ${key}`,
  ]
}

function httpCheck({ http }: BalancerHealthCheck): string[] {
  if (!http) return []
  const uri = quoteVisible(http.path, 'path')
  const text = quote(expressionOf(http.response), 'the response')
  // Targets refuse HTTP/1.1 without a host. The host is a format, in which a percent sign is written twice.
  const host = http.domain
    ? `ver HTTP/1.1 hdr Host ${quoteVisible(http.domain, 'domain').replaceAll('%', '%%')}`
    : 'ver HTTP/1.0'
  // The status tells a wrong text from what is not HTTP at all also after a reload, which loses the label.
  const content = `http-check expect error-status L7STS on-error ${contentLabel} rstring ${text}`
  return [
    'option httpchk',
    `http-check send meth GET uri ${uri} ${host}`,
    `http-check expect rstatus '${statusExpression(http.statusCodes)}'`,
    ...(http.response ? [content] : []),
  ]
}

function server(state: BalancerState, service: BalancerService, target: BalancerTarget): string {
  const { destinationPort, usesProxyProtocol, healthCheck } = service
  const { port, interval, retries, http } = healthCheck
  const address = checkedAddress(target.address)
  const name = http?.domain.replace(/:\d+$/, '') ?? ''
  const domain = name && isIP(name) === 0 ? ` check-sni ${quoteVisible(name, 'domain')}` : ''
  const words = [
    `server ${address} ${endpoint(address, destinationPort)}`,
    `check port ${port} inter ${interval}s fall ${retries} rise ${retries}`,
    usesProxyProtocol && 'send-proxy-v2',
    usesProxyProtocol && port === destinationPort && 'check-send-proxy',
    http?.usesTls && `check-ssl verify none${domain}`,
    target.network !== null && `source ${privateSource(state, target)}`,
  ]
  return words.filter(Boolean).join(' ')
}

/** Private targets are reached from the private address, which leads into the private network and nowhere else. */
function privateSource({ place }: BalancerState, { address, network }: BalancerTarget): string {
  if (place?.network !== network) throw refuse(`the target ${address} of a network that it is not in`)
  return checkedAddress(place!.address)
}

function checkedAddress(address: string): string {
  if (isIP(address) === 0 || address.includes('%')) throw refuse(`the address ${JSON.stringify(address)}`)
  return address
}
