/** Where the promises of the infrastructure are held: an installation of Wolke, and how to look at what it has made from inside. */
import { until } from '../kit/database/bare-database.ts'
import type { Client } from '../kit/harness.ts'

/** A packet, or the attempt of a connection, that is sent to see what becomes of it. */
export interface Probe {
  /** The id of the server that sends; null for somebody outside of the cloud. */
  readonly from: number | null
  /** An address. */
  readonly to: string
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'esp' | 'gre'
  /** The destination port; for tcp and udp alone. */
  readonly port?: number
}

/** An address that a guest gives itself, as its user would. */
export interface OwnAddress {
  readonly address: string
  /**
   * The private network that it is for: the hardware address of the interface there, and what the guest sends to its
   * gateway.
   */
  readonly within?: { readonly mac: string; readonly gateway: string; readonly ranges: readonly string[] }
}

/** What can be seen of servers without asking the API. Errors: those of the way to look, never what is seen. */
export interface Look {
  /** Whether it gets there now. A connection that is refused got there. */
  arrives(probe: Probe): Promise<boolean>
  /** Logs in as root with the key of the place, and returns the host name of the guest; undefined when nothing answers. */
  logIn(address: string): Promise<string | undefined>
  /** The host that a server runs on; undefined where there is one alone. */
  hostOf(server: number): Promise<string | undefined>
  /** Another text after every boot. */
  bootOf(server: number): Promise<string>
  /** How many cores a server has, and how much memory in MB. */
  sizeOf(server: number): Promise<{ readonly cores: number; readonly memoryMb: number }>
  /** How large a volume is, in GB. */
  volumeGb(volume: number): Promise<number>
  /** The text of a file in a server that is on; undefined when there is none. */
  read(server: number, path: string): Promise<string | undefined>
  write(server: number, path: string, text: string): Promise<void>
  /** Makes the guest take an address for its own. */
  configure(server: number, own: OwnAddress): Promise<void>
  /** Names of everything that is there of servers, their networks, disks and images. */
  leftovers(): Promise<string[]>
}

export interface Place {
  readonly api: Client
  /** The name of the location that servers are made in. */
  readonly location: string
  readonly image: string
  readonly type: string
  /** A type with more cores and more memory. */
  readonly largerType: string
  /** The public half of the key that `look.logIn` has. */
  readonly publicKey: string
  readonly look: Look
  /** Waits until all actions have ended. */
  settle(): Promise<void>
  /** Runs the background jobs once: they bring about what no action does. */
  reconcile(): Promise<void>
}

/** Waits until nothing is left: deletions are answered before hosts have carried them out. Errors: one with what stays. */
export async function untilNothingIsLeft({ look }: Pick<Place, 'look'>): Promise<void> {
  let left: readonly string[] = []
  const isEmpty = async () => {
    left = await look.leftovers()
    return left.length === 0
  }
  await until(isEmpty).catch((cause: unknown) => {
    throw new Error(`left over: ${left.join(', ')}`, { cause })
  })
}
