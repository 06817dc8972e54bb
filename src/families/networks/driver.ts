/** What networks need from the infrastructure. */

/** What a network consists of. */
export interface NetworkShape {
  readonly ipRange: string
  readonly subnets: readonly {
    readonly ipRange: string
    readonly networkZone: string
    readonly gateway: string
    /** The vSwitch that the subnet reaches; null for a subnet of servers. */
    readonly vswitchId: number | null
  }[]
  readonly routes: readonly { readonly destination: string; readonly gateway: string }[]
  /** Whether the vSwitch learns the routes. */
  readonly exposesRoutes: boolean
}

/** The whole desired state of one network. A driver ignores a generation older than the last one it saw. */
export interface NetworkState {
  readonly id: number
  readonly generation: number
  /** Null when nothing of the network is to be there. */
  readonly shape: NetworkShape | null
}

export interface NetworkDriver {
  /** Makes the network be as described, or be gone. Repeating it changes nothing. */
  apply(state: NetworkState): Promise<void>
}

export interface PrivateInterface {
  readonly networkId: number
  readonly ip: string
  readonly aliasIps: readonly string[]
  readonly mac: string
  readonly subnet: string
  readonly gateway: string
}

/** All private interfaces of one server: it has no other. A driver ignores an older generation. */
export interface InterfacesState {
  readonly serverId: number
  /** The id of the location of the server. */
  readonly location: number
  readonly generation: number
  readonly interfaces: readonly PrivateInterface[]
}

export interface InterfacesDriver {
  /** Gives a server exactly these private interfaces. Repeating it changes nothing. */
  apply(state: InterfacesState): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    networks: NetworkDriver
    interfaces: InterfacesDriver
  }
}
