/** Reads what Incus measures, in the text format of OpenMetrics. Pure. */

/** The counters of a server since it started, in the order in which they are kept. */
export const counters = [
  'cpu',
  'disk.0.iops.read',
  'disk.0.iops.write',
  'disk.0.bandwidth.read',
  'disk.0.bandwidth.write',
  'network.0.pps.in',
  'network.0.pps.out',
  'network.0.bandwidth.in',
  'network.0.bandwidth.out',
] as const

/** One value for each of the counters: seconds of the processor, operations, bytes, packets. */
export type Counts = readonly number[]

/** The metric of Incus behind each counter. Only `eth0` is the public interface; of disks, all are summed. */
const sources: Readonly<Record<string, (typeof counters)[number]>> = {
  incus_cpu_seconds_total: 'cpu',
  incus_disk_reads_completed_total: 'disk.0.iops.read',
  incus_disk_writes_completed_total: 'disk.0.iops.write',
  incus_disk_read_bytes_total: 'disk.0.bandwidth.read',
  incus_disk_written_bytes_total: 'disk.0.bandwidth.write',
  incus_network_receive_packets_total: 'network.0.pps.in',
  incus_network_transmit_packets_total: 'network.0.pps.out',
  incus_network_receive_bytes_total: 'network.0.bandwidth.in',
  incus_network_transmit_bytes_total: 'network.0.bandwidth.out',
}
const publicInterface = 'eth0'
/** Modes of a processor that does nothing for the guest. */
const idleModes = ['idle', 'iowait', 'steal']

/** The counters of all instances in a text, by the name of the instance. Lines that are about something else are left out. */
export function countsIn(text: string): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const line of text.split('\n')) {
    const parts = /^(incus_\w+)\{([^}]*)\} (\S+)/.exec(line)
    const counter = parts && sources[parts[1]!]
    if (!counter) continue
    const labels = labelsIn(parts[2]!)
    if (!labels.name || !isMeant(counter, labels)) continue
    const counts = found.get(labels.name) ?? counters.map(() => 0)
    counts[counters.indexOf(counter)]! += Number(parts[3])
    found.set(labels.name, counts)
  }
  return found
}

function isMeant(counter: string, { device, mode }: Labels): boolean {
  if (counter.startsWith('network')) return device === publicInterface
  return counter !== 'cpu' || !idleModes.includes(mode ?? '')
}

type Labels = Readonly<Record<string, string | undefined>>

const labelsIn = (text: string): Labels =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
