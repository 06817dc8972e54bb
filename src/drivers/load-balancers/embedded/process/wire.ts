/** How API servers and the data plane process talk: a line of JSON for each message, over a Unix domain socket. */
import type { Socket } from 'node:net'
import type {
  BalancerSeries,
  BalancerState,
  Inventory,
  Observation,
} from '../../../../families/load-balancers/driver.ts'
import type { Report } from '../report.ts'

/** What can be asked for, and what comes back. */
export interface Methods {
  apply: { args: [BalancerState]; result: null }
  remove: { args: [id: number, generation: number | null]; result: null }
  observe: { args: [readonly number[]]; result: [number, Observation][] }
  measure: {
    args: [id: number, series: BalancerSeries, moments: readonly number[], step: number]
    result: [number, number][]
  }
  inventory: { args: []; result: Inventory }
  /** What is added to the time of this machine, in milliseconds. */
  setClock: { args: [offset: number]; result: null }
  /** The client leaves, and needs nothing kept for it. */
  leave: { args: []; result: null }
  /** The process shall end, for one with other settings. */
  retire: { args: []; result: null }
}
export type Method = keyof Methods

export interface Call<M extends Method = Method> {
  readonly call: number
  readonly method: M
  readonly args: Methods[M]['args']
}

/** What the process says first. */
export interface Greeting {
  readonly epoch: string
  /** What has to be the same for a client to work with it. */
  readonly settings: string
  /** How many other clients it has. */
  readonly others: number
}

export type Message =
  | { readonly greeting: Greeting }
  | { readonly report: Report }
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: string }

/** Changes with the messages, so that an API server never talks to a process of another version. */
const version = 2

export const settingsOf = (portOffset: number) => JSON.stringify({ version, portOffset })

export function send(socket: Socket, message: Call | Message): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}

/** Calls `onMessage` for each line. The other side belongs to the same user, so it is trusted. */
export function receive<T extends Call | Message>(socket: Socket, onMessage: (message: T) => void): void {
  let begun: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => {
    const [first, ...others] = text.split('\n')
    begun.push(first!)
    for (const next of others) {
      onMessage(JSON.parse(begun.join('')))
      begun = [next]
    }
  })
}
