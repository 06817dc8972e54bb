/** Services of Load Balancers as the API shows them. */
import type { Static } from 'typebox'
import type { Service as Wire } from './contract.ts'
import type { HealthCheck, Http, Service } from './domain.ts'

type ServiceWire = Static<typeof Wire>

/** A service as the API shows it: what its protocol has no place for is not there. */
export function serviceToWire(service: Service): ServiceWire {
  return {
    protocol: service.protocol,
    listen_port: service.listenPort,
    destination_port: service.destinationPort,
    proxyprotocol: service.usesProxyProtocol,
    ...(service.http ? { http: httpToWire(service.http) } : {}),
    health_check: checkToWire(service.healthCheck),
  }
}

function httpToWire(http: Http): ServiceWire['http'] & {} {
  return {
    cookie_name: http.cookieName,
    cookie_lifetime: http.cookieLifetime,
    certificates: [...http.certificates],
    redirect_http: http.redirectsHttp,
    sticky_sessions: http.isSticky,
    timeout_idle: http.idleTimeout,
  }
}

function checkToWire({ http, ...check }: HealthCheck): ServiceWire['health_check'] {
  if (!http) return check
  const { domain, path, response, statusCodes, usesTls } = http
  return { ...check, http: { domain, path, response, status_codes: [...statusCodes], tls: usesTls } }
}
