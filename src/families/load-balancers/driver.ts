/** What Load Balancers need from the data plane that carries their traffic. */

export type BalancerSeries =
  | 'open_connections'
  | 'connections_per_second'
  | 'requests_per_second'
  | 'bandwidth.in'
  | 'bandwidth.out'

/** A certificate in PEM: the chain, and its private key. */
export interface BalancerCertificate {
  readonly id: number
  readonly chain: string
  readonly privateKey: string
}

/** How HTTP and HTTPS are spoken. */
export interface BalancerHttp {
  readonly cookieName: string
  /** In seconds. */
  readonly cookieLifetime: number
  readonly isSticky: boolean
  /** Whether port 80 of the balancer redirects to the service. */
  readonly redirectsHttp: boolean
  /** In seconds. */
  readonly idleTimeout: number
  /** The first one serves names that none of them has. Empty without TLS. */
  readonly certificates: readonly BalancerCertificate[]
}

export interface BalancerHealthCheck {
  readonly protocol: 'tcp' | 'http'
  readonly port: number
  /** In seconds, as `timeout`. */
  readonly interval: number
  readonly timeout: number
  readonly retries: number
  /** Null unless the protocol is `http`. */
  readonly http: {
    /** The `Host`; none is sent when it is empty. */
    readonly domain: string
    readonly path: string
    /** A text that the body has to contain; any body will do when it is empty. */
    readonly response: string
    /** Patterns such as `2??` or `3*`. */
    readonly statusCodes: readonly string[]
    readonly usesTls: boolean
  } | null
}

export interface BalancerService {
  readonly protocol: 'tcp' | 'http' | 'https'
  /** Unique among the services of a balancer. */
  readonly listenPort: number
  readonly destinationPort: number
  /** Whether targets get a PROXY protocol header, version 2. */
  readonly usesProxyProtocol: boolean
  /** Null for tcp. */
  readonly http: BalancerHttp | null
  readonly healthCheck: BalancerHealthCheck
}

/** Who gets the traffic. Every address is there once, whatever led to it. */
export interface BalancerTarget {
  readonly address: string
  /** The server that has the address; null for one outside of the cloud. */
  readonly server: number | null
  /** The private network that leads to it; null for a public address. */
  readonly network: number | null
}

/** The whole desired state of one Load Balancer. A driver ignores a generation older than the last one it saw. */
export interface BalancerState {
  readonly id: number
  /** The id of its location, which never changes. */
  readonly location: number
  readonly generation: number
  /** Makes the cookies of sticky sessions unpredictable, and the same after every restart. */
  readonly cookieSecret: string
  readonly maxConnections: number
  readonly algorithm: 'round_robin' | 'least_connections'
  /** Where it listens: its public addresses unless its public interface is off. */
  readonly publicAddresses: readonly string[]
  /** Its address in a private network. */
  readonly place: { readonly network: number; readonly address: string } | null
  readonly services: readonly BalancerService[]
  readonly targets: readonly BalancerTarget[]
}

export const unhealthyDetails = [
  'layer4_no_connection',
  'layer4_timeout',
  'layer7_timeout',
  'unexpected_http_status',
  'unexpected_http_content',
  'unspecified',
] as const
export type UnhealthyDetail = (typeof unhealthyDetails)[number]

export type Health =
  | { readonly status: 'unknown' }
  | { readonly status: 'healthy' }
  | {
      readonly status: 'unhealthy'
      readonly detail: UnhealthyDetail
      /** Set with `unexpected_http_status` alone. */
      readonly httpStatusCode: number | null
    }

export interface TargetHealth {
  readonly listenPort: number
  /** The address of the target. */
  readonly address: string
  readonly health: Health
}

/** What a data plane sees of one Load Balancer. */
export interface Observation {
  /** Of the state that it has. */
  readonly generation: number
  /** One for each service and target; those that are missing are not known yet. */
  readonly health: readonly TargetHealth[]
  /** Bytes from clients and to clients since the month began (UTC). */
  readonly traffic: { readonly ingoing: number; readonly outgoing: number }
}

/** What a data plane has. */
export interface Inventory {
  /** Another one than before says that the data plane has lost what it was handed. */
  readonly epoch: string
  /** Those that are removed at once unless somebody knows them. */
  readonly balancers: readonly number[]
}

export interface LoadBalancerDriver {
  /** Makes the balancer be as described; creates it when there is none. Repeating it changes nothing. */
  apply(state: BalancerState): Promise<void>
  /**
   * Removes the balancer; succeeds when there is none. Only a newer generation brings it back. Null is for one that nobody
   * knows: what comes under its id afterwards, as after the loss of a database, is another one. Wherever it
   * was: the one in the database is gone by then.
   */
  remove(id: number, generation: number | null): Promise<void>
  /** What it sees of some balancers; those that it does not have are missing. */
  observe(ids: readonly number[]): Promise<ReadonlyMap<number, Observation>>
  /**
   * What was measured of a series at some moments (seconds since the epoch), as the mean of the `step` seconds before each;
   * moments without a value are missing.
   */
  measure(
    id: number,
    series: BalancerSeries,
    moments: readonly number[],
    step: number,
  ): Promise<ReadonlyMap<number, number>>
  /** Undefined for one that carries no traffic and needs nothing until it is asked, or whose hosts are reconciled as a whole. */
  inventory(): Promise<Inventory | undefined>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    loadBalancers: LoadBalancerDriver
  }
}
