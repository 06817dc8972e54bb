/** How the writers of the crash attack create and change resources of each family, and how the results look. */

import { allow } from '../../src/families/firewalls/proof.ts'
import { publicKey } from '../../src/families/ssh-keys/proof.ts'
import type { Answer, Client } from '../../test/kit/harness.ts'
import { expect } from '../../test/kit/resources.ts'
import { selfSigned } from '../../test/kit/samples/certificates.ts'

/** The visible state of one resource by facet; each request changes its facets atomically. */
export type State = Readonly<Record<string, string>>

type Resource = Answer['body']

/** A request that changes a resource. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** The path below the resource, such as `/actions/poweroff`. */
  readonly path: string
  readonly body?: unknown
  /** The state after the change; undefined when it deletes the resource. */
  readonly to: State | undefined
  /** Set when the change shows only after its action has ended. */
  readonly later?: true
}

export interface Family {
  readonly path: string
  /** The key of a single resource in replies. */
  readonly one: string
  /** The request that creates a resource; `version` is a unique text. */
  create(version: string): { readonly body: object; readonly state: State }
  changes(version: string): readonly Change[]
  read(resource: Resource, api: Client): State | Promise<State>
}

const labels = (version: string) => ({ version })
const remove: Change = { method: 'DELETE', path: '', to: undefined }

/** Changes name and labels together, so that a partial change would show. */
function renamed(version: string): Change {
  return { method: 'PUT', path: '', body: named(version), to: namedState(version) }
}
const named = (version: string) => ({ name: version, labels: labels(version) })
const namedState = (version: string) => ({ name: version, label: version })
const namedOf = ({ name, labels }: Resource) => ({ name, label: labels.version })

/** A port that differs between versions. */
const portOf = (version: string) => String(1 + (Number(version.replace(/\D/g, '')) % 65_535))
const addressOf = (version: string) => `198.51.100.${Number(version.replace(/\D/g, '')) % 256}`

const pair = selfSigned('www.example.com')

const sshKeys: Family = {
  path: '/ssh_keys',
  one: 'ssh_key',
  create: (version) => ({ body: { ...named(version), public_key: publicKey() }, state: namedState(version) }),
  changes: (version) => [renamed(version), remove],
  read: namedOf,
}

const certificates: Family = {
  path: '/certificates',
  one: 'certificate',
  create: (version) => ({ body: { ...named(version), ...pair }, state: namedState(version) }),
  changes: (version) => [renamed(version), remove],
  read: namedOf,
}

const firewalls: Family = {
  path: '/firewalls',
  one: 'firewall',
  create: (version) => ({
    body: { ...named(version), rules: [allow(portOf(version))] },
    state: { ...namedState(version), port: portOf(version) },
  }),
  changes: (version) => [
    renamed(version),
    {
      method: 'POST',
      path: '/actions/set_rules',
      body: { rules: [allow(portOf(version))] },
      to: { port: portOf(version) },
    },
    remove,
  ],
  read: (firewall) => ({ ...namedOf(firewall), port: firewall.rules[0]?.port ?? 'none' }),
}

const floatingIps: Family = {
  path: '/floating_ips',
  one: 'floating_ip',
  create: (version) => ({
    body: { type: 'ipv4', home_location: 'hel1', description: version, ...named(version) },
    state: { ...namedState(version), description: version },
  }),
  changes: (version) => [
    {
      method: 'PUT',
      path: '',
      body: { ...named(version), description: version },
      to: { ...namedState(version), description: version },
    },
    remove,
  ],
  read: (ip) => ({ ...namedOf(ip), description: ip.description }),
}

const power = (command: string, status: string): Change => ({
  method: 'POST',
  path: `/actions/${command}`,
  to: { power: status },
  later: true,
})

const servers: Family = {
  path: '/servers',
  one: 'server',
  create: (version) => ({
    body: { ...named(version), server_type: 'cx23', image: 'debian-12' },
    state: { ...namedState(version), power: 'running' },
  }),
  changes: (version) => [
    renamed(version),
    power('poweroff', 'off'),
    power('poweron', 'running'),
    { method: 'POST', path: '/actions/create_image', body: { description: version }, to: {} },
    { ...remove, later: true },
  ],
  read: (server) => ({ ...namedOf(server), power: server.status }),
}

const zoneState = (version: string) => ({ label: version, address: addressOf(version) })
const zonefile = (address: string) =>
  ['@ SOA ns1 hostmaster 1 2 3 4 5', ...[1, 2, 3].map((n) => `@ NS ns${n}.wolke.example.`), `www A ${address}`].join(
    '\n',
  )

const zones: Family = {
  path: '/zones',
  one: 'zone',
  create: (version) => ({
    body: {
      name: `${version}.example`,
      mode: 'primary',
      labels: labels(version),
      rrsets: [{ name: 'www', type: 'A', records: [{ value: addressOf(version) }] }],
    },
    state: zoneState(version),
  }),
  changes: (version) => [
    { method: 'PUT', path: '', body: { labels: labels(version) }, to: { label: version } },
    {
      method: 'POST',
      path: '/rrsets/www/A/actions/set_records',
      body: { records: [{ value: addressOf(version) }] },
      to: { address: addressOf(version) },
    },
    {
      method: 'POST',
      path: '/actions/import_zonefile',
      body: { zonefile: zonefile(addressOf(version)) },
      to: { address: addressOf(version) },
    },
    remove,
  ],
  async read({ id, labels: { version } }, api) {
    const { rrset } = expect(await api.get(`/zones/${id}/rrsets/www/A`), 200).body
    return { label: version, address: rrset.records[0].value }
  },
}

export const families: readonly Family[] = [sshKeys, certificates, firewalls, floatingIps, servers, zones]
