/** The fields of the form of a service, and the request that they make. Pure. */
import { typedNumber } from '../../lib/typed-number.ts'
import type { NewService, Service } from './balancer.ts'

export interface ServiceFields {
  readonly protocol: Service['protocol']
  readonly listenPort: string
  readonly destinationPort: string
  readonly proxyProtocol: boolean
  readonly sticky: boolean
  readonly redirect: boolean
  readonly certificates: readonly number[]
  readonly checkProtocol: Service['health_check']['protocol']
  /** Empty for the destination port. */
  readonly checkPort: string
  readonly interval: string
  readonly timeout: string
  readonly retries: string
  readonly domain: string
  readonly path: string
  readonly statusCodes: string
  readonly response: string
  readonly tls: boolean
}

const ports = { http: ['80', '80'], https: ['443', '80'], tcp: ['', ''] } as const

export function newFields(protocol: Service['protocol']): ServiceFields {
  const [listenPort, destinationPort] = ports[protocol]
  return {
    protocol,
    listenPort,
    destinationPort,
    proxyProtocol: false,
    sticky: false,
    redirect: false,
    certificates: [],
    checkProtocol: protocol === 'tcp' ? 'tcp' : 'http',
    checkPort: '',
    interval: '15',
    timeout: '10',
    retries: '3',
    domain: '',
    path: '/',
    statusCodes: '2??, 3??',
    response: '',
    tls: false,
  }
}

export function fieldsOf(service: Service): ServiceFields {
  const { protocol, listen_port, destination_port, proxyprotocol, http, health_check: check } = service
  return {
    protocol,
    listenPort: String(listen_port),
    destinationPort: String(destination_port),
    proxyProtocol: proxyprotocol,
    sticky: http?.sticky_sessions ?? false,
    redirect: http?.redirect_http ?? false,
    certificates: http?.certificates ?? [],
    checkProtocol: check.protocol,
    checkPort: String(check.port),
    interval: String(check.interval),
    timeout: String(check.timeout),
    retries: String(check.retries),
    domain: check.http?.domain ?? '',
    path: check.http?.path ?? '/',
    statusCodes: check.http?.status_codes.join(', ') ?? '2??, 3??',
    response: check.http?.response ?? '',
    tls: check.http?.tls ?? false,
  }
}

/** `before` is the service that is changed: what it has is only taken away by saying so. */
export function bodyOf(fields: ServiceFields, before?: Service): NewService {
  const { protocol, checkProtocol } = fields
  const listenPort = toNumber(fields.listenPort)
  const destinationPort = toNumber(fields.destinationPort)
  const checkPort = toNumber(fields.checkPort) ?? destinationPort
  return {
    protocol,
    ...(listenPort === undefined ? {} : { listen_port: listenPort }),
    ...(destinationPort === undefined ? {} : { destination_port: destinationPort }),
    proxyprotocol: fields.proxyProtocol,
    ...(protocol === 'tcp' ? {} : { http: httpOf(fields) }),
    health_check: {
      protocol: checkProtocol,
      ...(checkPort === undefined ? {} : { port: checkPort }),
      interval: toNumber(fields.interval) ?? 15,
      timeout: toNumber(fields.timeout) ?? 10,
      retries: toNumber(fields.retries) ?? 3,
      ...(checkProtocol === 'http' ? { http: checkOf(fields, before) } : {}),
    },
  }
}

function httpOf({ protocol, sticky, redirect, certificates }: ServiceFields) {
  return {
    sticky_sessions: sticky,
    ...(protocol === 'https' ? { redirect_http: redirect, certificates: [...certificates] } : {}),
  }
}

function checkOf({ domain, path, response, statusCodes, tls }: ServiceFields, before?: Service) {
  return {
    domain: domain.trim(),
    path: path.trim() || '/',
    ...(response === '' && !before?.health_check.http?.response ? {} : { response }),
    status_codes: statusCodes.split(/[\s,]+/).filter((code) => code !== ''),
    tls,
  }
}

/** Nothing for an empty text. */
function toNumber(text: string): number | undefined {
  return text.trim() === '' ? undefined : typedNumber(text)
}
