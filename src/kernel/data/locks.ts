/**
 * The one order in which transactions take locks that they may have to wait for: from what is wide to what is in it, and
 * what requests take last, last. Two that keep to it never wait for each other. It is the order of tables and of kinds of
 * keys (`lockKeys`) below; rows of one table are locked in the order of their ids, all of them in one statement or one
 * after the other, and nobody who holds a row shared wants it alone later. Statements count that lock rows (`lockRows`),
 * update, delete and insert them: an insert waits for whoever is writing the same name. What is locked with `skip` is not
 * waited for and may be taken at any time, as free addresses are: of those that a server gets, IPv4 comes first. Tests on PostgreSQL hold every transaction against it (test/lock-recorder.ts).
 */
import type { EveryTable } from './db.ts'

export const lockOrder = [
  // Of the whole installation, each in a transaction that does nothing else.
  'key migration',
  'migration',
  'key_canary',
  'installation_secret',
  'write_probe',
  'rate_limit',
  // A step is recorded as fence, effects, end: who comes too late stops here.
  'action',
  'key once',
  'key project',
  'project_limit',
  // What has a name: rivals that rename take both names.
  'key name',
  'ssh_key',
  'certificate',
  'zone',
  // Whoever seals the first secret of a Project makes its key.
  'key secrets',
  'project_key',
  'zone_source',
  'firewall',
  'server',
  'server_state',
  'image',
  'address_pool',
  // Waited for by who finds no free one, lest a rival takes it back.
  'address',
  'floating_ip',
  'floating_ip_routing',
  'firewall_application',
  'firewall_filter',
  // Whose mail it is.
  'project',
  'mail',
  // What an action holds while it runs: taken last when it is started, given back last when it ends.
  'key queue',
  'resource_lock',
] as const satisfies readonly (keyof EveryTable | `key ${string}`)[]

/**
 * Tables whose rows are written only by who holds what they belong to, or by nobody but who inserted them: nobody ever
 * waits for these, so that they may be written at any time.
 */
export const belonging = {
  token: 'the Project',
  label: 'the resource',
  action_history: 'the action',
  action_unfiled: 'the action; whoever deletes it leaves out what others hold',
  action_serial: 'the action',
  address: 'who has it',
  dns_change: 'the zone, or who has the address',
  rrset: 'the zone',
  zone_content: 'the zone, or who writes it; whoever deletes it leaves out what others hold',
  zone_change: 'the zone',
  zone_challenge: 'the zone',
  certificate_key: 'the certificate',
  certificate_order: 'the certificate',
  certificate_use: 'what uses the certificate',
  server_former: 'the server',
  primary_ip: 'the server',
  firewall_match: 'the Project alone, or shared together with the server',
} as const satisfies Partial<Record<keyof EveryTable, string>>

/** The kind of a key that `lockKeys` takes: its first word, and `queue` for those of actions that wait for each other. */
export function kindOfKey(key: string): string {
  return /^\w+:\d+$/.test(key) ? 'key queue' : `key ${key.split(' ', 1)[0]}`
}
