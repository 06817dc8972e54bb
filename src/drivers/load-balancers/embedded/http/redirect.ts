/** Port 80 of a balancer whose service wants everybody to come by HTTPS. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BalancerService } from '../../../../families/load-balancers/driver.ts'
import type { Meter } from '../meter.ts'
import { HttpServer } from './http-server.ts'

export class RedirectFrontend {
  readonly #server: HttpServer
  readonly #meter: Meter
  #port = 443

  constructor(meter: Meter) {
    this.#meter = meter
    this.#server = new HttpServer({ request: (request, answer) => this.#redirect(request, answer) })
    this.#server.setUpgrades(() => false)
  }

  /** `service` is the one that it leads to. */
  update(service: BalancerService): void {
    this.#port = service.listenPort
    this.#server.setIdleTime(service.http!.idleTimeout * 1_000)
  }

  accept(socket: Socket): void {
    this.#server.accept(socket)
  }

  drain(): void {
    this.#server.drain()
  }

  #redirect(request: IncomingMessage, answer: ServerResponse): void {
    this.#meter.addRequest()
    const host = request.headers.host?.replace(/:\d*$/, '')
    const path = request.url!.startsWith('/') ? request.url! : '/'
    const location = `https://${host}${this.#port === 443 ? '' : `:${this.#port}`}${path}`
    answer.writeHead(host ? 301 : 400, { 'Content-Length': 0, ...(host ? { Location: location } : {}) })
    answer.end()
  }
}
