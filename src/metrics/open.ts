/** The metrics of this process, at an address of their own. Loaded where the operator asks for them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { families } from '../families.ts'
import { guardHeaders } from '../kernel/http/server/browser-headers.ts'
import { createServer } from '../kernel/http/server/node-http.ts'
import type { Logger } from '../kernel/process/log.ts'
import { hostAndPort, type ListenAddress } from '../protocols/net/listen-address.ts'
import { Collector } from './collector.ts'
import { count } from './counted.ts'
import { expose, formatFor } from './exposition.ts'
import { commonGauges, type World } from './gauges.ts'

/** The longest time for reading all gauges, in milliseconds: Prometheus itself waits for 10 s. */
const mostMs = 5_000
const mostConnections = 100

const path = '/metrics'

/** The library's own gauges of handles, whose names say that they are counters. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export interface MetricsOptions {
  /** What the gauges are read from at the moment: another cloud may take the place of the first. */
  readonly world: () => World
  readonly log: Logger
}

export interface Metrics {
  readonly url: string
  close(): Promise<void>
}

/** Creates the registry with everything that is measured, and begins to count. */
export function measure({ world, log }: MetricsOptions) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  const commands = families.flatMap(({ actions }) => actions.map(({ command }) => command))
  const end = count(registry, commands)
  const groups = [...commonGauges, ...families.flatMap(({ gauges }) => gauges)]
  const collector = new Collector({ registry, groups, world, log, mostMs })
  return { registry, collector, end }
}

/** Begins to measure and serves it; answers once the promise resolves. Errors: those of the socket. */
export async function openMetrics(options: MetricsOptions, { host, port }: ListenAddress): Promise<Metrics> {
  const { registry, collector, end } = measure(options)
  const { log } = options
  const limits = { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 }
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'metrics failed')
      response.destroy()
    })
  })
  server.maxConnections = mostConnections
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request)
    if (refusal) return send(response, refusal.status, { ...refusal.headers, 'content-type': 'text/plain' }, '')
    const format = formatFor(request.headers.accept)
    await collector.collect()
    send(response, 200, { 'content-type': format, vary: 'accept' }, await expose(registry, format))
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  }).catch((error: unknown) => {
    end()
    throw error
  })
  return {
    url: `http://${hostAndPort({ host, port: (server.address() as AddressInfo).port })}${path}`,
    async close() {
      end()
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

function refusalOf({ url = '/', method }: IncomingMessage) {
  if (url.split('?', 1)[0] !== path) return { status: 404, headers: {} }
  return method === 'GET' || method === 'HEAD' ? undefined : { status: 405, headers: { allow: 'GET, HEAD' } }
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, text: string): void {
  response.writeHead(status, { ...guardHeaders, ...headers, 'content-length': Buffer.byteLength(text) })
  response.end(response.req.method === 'HEAD' ? undefined : text)
}
