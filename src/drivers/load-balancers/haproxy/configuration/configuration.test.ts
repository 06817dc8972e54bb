import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { httpService, plainState } from '../../../../../test/stubs/haproxy.ts'
import type { BalancerService, BalancerState } from '../../../../families/load-balancers/driver.ts'
import { configurationOf, filesOf } from './configuration.ts'

const target = { address: '10.0.0.2', server: 1, network: null }
const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n\n-----END ${label}-----\n`
const certificate = { id: 5, chain: pem('CERTIFICATE') + pem('CERTIFICATE'), privateKey: pem('PRIVATE KEY') }
const http = httpService.http!
const check = httpService.healthCheck
const httpsService: BalancerService = {
  ...httpService,
  protocol: 'https',
  listenPort: 443,
  http: { ...http, redirectsHttp: true, certificates: [certificate, { ...certificate, id: 3 }] },
}

const stateOf = (service: BalancerService, more: Partial<BalancerState> = {}): BalancerState => ({
  ...plainState,
  publicAddresses: ['192.0.2.1', '2001:db8::1'],
  services: [service],
  targets: [target],
  ...more,
})
const lineOf = (state: BalancerState, beginning: string) =>
  configurationOf(state)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(beginning))

describe('the configuration', () => {
  test('listens on all addresses, also on the private one', () => {
    const place = { network: 4, address: '10.0.0.1' }
    const text = configurationOf(stateOf(httpService, { place }))
    for (const line of ['bind 192.0.2.1:80', 'bind [2001:db8::1]:80', 'bind 10.0.0.1:80'])
      assert.ok(text.includes(line))
  })

  test('sends no Host and speaks HTTP/1.0 without a domain', () => {
    assert.equal(lineOf(stateOf(httpService), 'http-check send'), "http-check send meth GET uri '/' ver HTTP/1.0")
    const domain = { ...httpService, healthCheck: { ...check, http: { ...check.http!, domain: 'example.com' } } }
    assert.match(lineOf(stateOf(domain), 'http-check send')!, /ver HTTP\/1.1 hdr Host 'example.com'$/)
  })

  test('sends the PROXY header with checks of the port that expects it, and only there', () => {
    const proxied = { ...httpService, usesProxyProtocol: true }
    assert.match(lineOf(stateOf(proxied), 'server 10')!, / send-proxy-v2 check-send-proxy$/)
    const elsewhere = { ...proxied, healthCheck: { ...check, port: 9_000 } }
    assert.match(lineOf(stateOf(elsewhere), 'server 10')!, / port 9000 .* send-proxy-v2$/)
  })

  test('reaches private targets from the private address alone', () => {
    const place = { network: 4, address: '10.0.0.1' }
    const targets = [{ ...target, network: 4 }]
    assert.match(lineOf(stateOf(httpService, { place, targets }), 'server 10')!, / source 10.0.0.1$/)
    assert.throws(() => configurationOf(stateOf(httpService, { targets })), { transient: false })
  })

  test('bounds tunnels as everything else', () => {
    assert.equal(lineOf(stateOf(httpService), 'timeout tunnel'), 'timeout tunnel 30s')
    const tcp = { ...httpService, protocol: 'tcp', http: null } as const
    assert.equal(lineOf(stateOf(tcp), 'timeout tunnel'), 'timeout tunnel 50s')
  })

  test('has the certificates in their order, without blank lines', () => {
    const files = filesOf(stateOf(httpsService))
    assert.equal(files.get('tls/443.list'), 'tls/5.pem\ntls/3.pem\n')
    assert.match(files.get('tls/5.pem')!, /^(-----BEGIN [A-Z ]+-----\nAAAA\n-----END [A-Z ]+-----\n){3}$/)
  })

  test('redirects to the port of the service', () => {
    assert.match(lineOf(stateOf(httpsService), 'http-request redirect')!, /,\)\]%\[pathq\]' code 301$/)
    const other = { ...httpsService, listenPort: 8_443 }
    assert.match(lineOf(stateOf(other), 'http-request redirect')!, /,\)\]:8443%\[pathq\]' code 301$/)
  })

  test('redirects to the first service that wants it, and not where another one listens', () => {
    const both = [httpsService, { ...httpsService, listenPort: 8_443 }]
    const redirects = (services: BalancerService[]) =>
      configurationOf(stateOf(httpService, { services })).match(/(?<=^frontend service_)\d+(?=_redirect$)/gm)
    assert.deepEqual(redirects(both), ['443'])
    assert.equal(redirects([httpService, ...both]), null)
  })

  test('has other targets when what decides about their health changes, and the same ones otherwise', () => {
    const backend = (service: BalancerService) => lineOf(stateOf(service), 'default_backend')
    assert.equal(backend({ ...httpService, http: { ...http, isSticky: true } }), backend(httpService))
    assert.notEqual(backend({ ...httpService, healthCheck: { ...check, port: 81 } }), backend(httpService))
  })

  const withCheck = (more: object) => ({ ...httpService, healthCheck: { ...check, http: { ...check.http!, ...more } } })
  const withCookie = (cookieName: string) => ({ ...httpService, http: { ...http, isSticky: true, cookieName } })
  const refused: Record<string, BalancerState> = {
    'a path with a space': stateOf(withCheck({ path: '/a b' })),
    'a path with a line end': stateOf(withCheck({ path: '/a\n    server evil 192.0.2.9:1' })),
    'a domain with a line end': stateOf(withCheck({ domain: 'a\r\nX: y' })),
    'a status code that is none': stateOf(withCheck({ statusCodes: ["2??)|(.*'"] })),
    'a cookie name with a space': stateOf(withCookie('a b')),
    'a cookie name with an equals sign': stateOf(withCookie('a=b')),
    'an address that is none': stateOf(httpService, { targets: [{ ...target, address: '10.0.0.1:80 evil' }] }),
    'an address with a scope': stateOf(httpService, { publicAddresses: ['fe80::1%eth0'] }),
    'HTTPS without a certificate': stateOf({ ...httpsService, http }),
    'a certificate that is none': stateOf({
      ...httpsService,
      http: { ...http, certificates: [{ ...certificate, chain: 'x' }] },
    }),
  }
  for (const [what, state] of Object.entries(refused)) {
    test(`refuses ${what} for good`, () => assert.throws(() => filesOf(state), { transient: false }))
  }
})
