/** The options of what carries the traffic of Load Balancers. */
import { InvalidArgumentError, Option } from 'commander'
import { type DataPlaneName, dataPlanes } from '../drivers/load-balancers/data-planes.ts'
import { type DatabaseUrl, fileOf, isInMemory } from '../kernel/data/dialect.ts'

export interface LoadBalancerConfig {
  /** Undefined means whatever this machine can do. */
  readonly loadBalancers?: DataPlaneName
  readonly loadBalancersDirectory?: string
  readonly loadBalancersPortOffset: number
}

function portOffset(text: string): number {
  const offset = Number(text)
  if (!/^\d{1,5}$/.test(text) || offset > 65_000) throw new InvalidArgumentError('Expected a number up to 65000.')
  return offset
}

export function loadBalancerOptions(): Option[] {
  return [
    new Option(
      '--load-balancers <kind>',
      'what carries the traffic of Load Balancers (default: embedded where the first address of the pool is one of this ' +
        'machine, else simulated)',
    )
      .env('WOLKE_LOAD_BALANCERS')
      .choices(dataPlanes),
    new Option(
      '--load-balancers-directory <path>',
      'private folder of what carries their traffic (default: PATH.load-balancers beside sqlite:PATH, else ' +
        'data/load-balancers)',
    ).env('WOLKE_LOAD_BALANCERS_DIRECTORY'),
    new Option('--load-balancers-port-offset <n>', 'added to the ports on which embedded Load Balancers listen')
      .env('WOLKE_LOAD_BALANCERS_PORT_OFFSET')
      .argParser(portOffset)
      .default(0),
  ]
}

/** Returns the options of the data plane. Its folder is undefined for data in memory, with which it goes. */
export function dataPlaneOf({
  loadBalancers: name,
  loadBalancersDirectory: given,
  loadBalancersPortOffset: portOffset,
  database,
}: LoadBalancerConfig & { readonly database: DatabaseUrl }) {
  const file = fileOf(database)
  const beside = file === undefined ? 'data/load-balancers' : `${file}.load-balancers`
  return { name, portOffset, directory: given ?? (isInMemory(database) ? undefined : beside) }
}
