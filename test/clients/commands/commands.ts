/** A server with one resource of every kind, and what requests to it mean, whoever spells them. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { parseCidr } from '../../../src/protocols/net/ip.ts'
import type { References } from '../kit/bodies.ts'
import { publicKey, type Service } from '../kit/clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any
type Named = { readonly id: number; readonly name?: string | null }

/** Ids by family, and names by family, of what there is. */
export interface Site {
  readonly references: References
  /** The id behind a name, by the field that names it. */
  readonly ids: Readonly<Record<string, ReadonlyMap<string, number>>>
  /** A resource of each family, by its path. */
  readonly one: Readonly<Record<string, number>>
}

const boxPassword = '1-secret-PASSW0RD-=)'

/** Makes the resources. */
export async function settle({ env }: Service): Promise<Site> {
  const headers = { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' }
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const reply = await fetch(`${env.HCLOUD_ENDPOINT}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    // What is locked is free once another action has ended, so clients repeat this.
    if (reply.status === 423) return delay(20).then(() => call(method, path, body))
    assert.ok(reply.ok, `${method} ${path}: ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const make = async (path: string, kind: string, body: object): Promise<Named> =>
    (await call('POST', `/${path}`, body))[kind] as Named
  const there = async (path: string, more: string): Promise<Named[]> =>
    (await call('GET', `/${path}?per_page=50${more}`))[path]
  const place = { location: 'hel1' }
  const labels = { kept: 'yes', old: 'x' }
  const network = await make('networks', 'network', { name: 'net', ip_range: '10.0.0.0/8', labels })
  const sshKey = await make('ssh_keys', 'ssh_key', { name: 'a key, with commas', public_key: publicKey(), labels })
  const firewall = await make('firewalls', 'firewall', { name: 'wall', labels })
  const group = await make('placement_groups', 'placement_group', { name: 'apart', type: 'spread', labels })
  const volume = await make('volumes', 'volume', { name: 'store', size: 10, ...place, labels })
  const server = await make('servers', 'server', {
    name: 'web',
    server_type: 'cpx22',
    image: 'debian-12',
    ...place,
    labels,
  })
  const other = await make('servers', 'server', { name: 'db', server_type: 'cpx22', image: 'debian-12', ...place })
  const primary = { assignee_type: 'server', ...place, labels }
  const ipv4 = await make('primary_ips', 'primary_ip', { name: 'four', type: 'ipv4', ...primary })
  const ipv6 = await make('primary_ips', 'primary_ip', { name: 'six', type: 'ipv6', ...primary })
  const floating = await make('floating_ips', 'floating_ip', {
    name: 'float',
    type: 'ipv4',
    home_location: 'hel1',
    labels,
  })
  const certificate = await make('certificates', 'certificate', {
    name: 'shop',
    type: 'managed',
    domain_names: ['example.com'],
    labels,
  })
  const balancer = await make('load_balancers', 'load_balancer', {
    name: 'lb',
    load_balancer_type: 'lb11',
    ...place,
    labels,
    services: [{ protocol: 'http', listen_port: 80 }],
  })
  const box = await make('storage_boxes', 'storage_box', {
    name: 'box',
    storage_box_type: 'bx11',
    ...place,
    password: boxPassword,
    labels,
  })
  const boxPart = async (family: string, kind: string, body: object) =>
    make(`storage_boxes/${box.id}/${family}`, kind, { ...body, labels })
  const snapshot = await boxPart('snapshots', 'snapshot', {})
  const subaccount = await boxPart('subaccounts', 'subaccount', { home_directory: 'team', password: boxPassword })
  const zone = await make('zones', 'zone', { name: 'zone.example', mode: 'primary', labels })
  await make(`zones/${zone.id}/rrsets`, 'rrset', { name: 'www', type: 'A', labels, records: [{ value: '192.0.2.1' }] })
  const { image } = (await call('POST', `/servers/${other.id}/actions/create_image`, { type: 'snapshot', labels })) as {
    image: Named
  }
  const [types, images, locations, datacenters, isos, balancerTypes, boxTypes] = await Promise.all(
    ['server_types', 'images', 'locations', 'datacenters', 'isos', 'load_balancer_types', 'storage_box_types'].map(
      (path) =>
        path === 'datacenters' ? Promise.resolve([]) : there(path, path === 'images' ? '&architecture=x86' : ''),
    ),
  )
  const namesOf = (some: readonly Named[] = []) =>
    new Map(some.flatMap(({ id, name }) => (name ? [[name, id] as const] : [])))
  const ids = {
    server_type: namesOf(types),
    image: namesOf(images),
    location: namesOf(locations),
    home_location: namesOf(locations),
    datacenter: namesOf(datacenters),
    iso: namesOf(isos),
    load_balancer_type: namesOf(balancerTypes),
    storage_box_type: namesOf(boxTypes),
    snapshot: new Map([[String(snapshot.id), snapshot.id]]),
    ssh_keys: namesOf([sshKey]),
  }
  const either = (field: keyof typeof ids, most = 3) => [...ids[field]].slice(0, most).flat()
  const servers = [server.id, other.id]
  return {
    ids,
    references: {
      server: servers,
      assignee_id: servers,
      network: [network.id],
      networks: [network.id],
      firewall: [firewall.id],
      volumes: [volume.id],
      placement_group: [group.id],
      ipv4: [ipv4.id],
      ipv6: [ipv6.id],
      certificates: [certificate.id],
      ssh_keys: [sshKey.id],
      server_type: ['cpx22'],
      image: ['debian-12'],
      location: either('location'),
      home_location: either('home_location'),
      iso: either('iso'),
      load_balancer_type: either('load_balancer_type'),
      storage_box_type: either('storage_box_type'),
      snapshot: [snapshot.id],
    },
    one: {
      servers: server.id,
      networks: network.id,
      ssh_keys: sshKey.id,
      firewalls: firewall.id,
      placement_groups: group.id,
      volumes: volume.id,
      primary_ips: ipv4.id,
      floating_ips: floating.id,
      certificates: certificate.id,
      load_balancers: balancer.id,
      images: image.id,
      storage_boxes: box.id,
      storage_box_types: boxTypes![0]!.id,
      snapshots: snapshot.id,
      subaccounts: subaccount.id,
      zones: zone.id,
      locations: locations![0]!.id,
      server_types: types![0]!.id,
      load_balancer_types: balancerTypes![0]!.id,
      isos: isos![0]!.id,
    },
  }
}

const accessFlags = [
  'reachable_externally',
  'readonly',
  'samba_enabled',
  'ssh_enabled',
  'webdav_enabled',
  'zfs_enabled',
]
const accessOff = Object.fromEntries(accessFlags.map((flag) => [`access_settings.${flag}`, false]))

/** What the API takes where a request does not say it, so that clients may say it or not. */
const usual: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  certificates_create: { type: 'uploaded' },
  load_balancers_addService: {
    'http.redirect_http': false,
    'http.sticky_sessions': false,
    'health_check.http.tls': false,
    proxyprotocol: false,
  },
  load_balancers_addTarget: { use_private_ip: false },
  load_balancers_create: { public_interface: true },
  networks_create: { expose_routes_to_vswitch: false },
  primary_ips_create: { assignee_type: 'server', auto_delete: false },
  // What the one of the tests has before, which hcloud does not send again.
  primary_ips_update: { auto_delete: false },
  servers_create: {
    automount: false,
    start_after_create: true,
    'public_net.enable_ipv4': true,
    'public_net.enable_ipv6': true,
  },
  servers_createImage: { type: 'snapshot' },
  servers_enableRescue: { type: 'linux64' },
  storage_boxes_create: accessOff,
  storage_boxes_createSnapshot: { description: '' },
  storage_boxes_createSubaccount: accessOff,
  volumes_attach: { automount: false },
  volumes_create: { automount: false },
  zones_create: { mode: 'primary' },
}

/** What the API ignores: gateways of subnets follow from their ranges, and old clients repeat the id of the path. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  networks_addSubnet: ['gateway'],
  primary_ips_assign: ['ID'],
  primary_ips_changeDnsPtr: ['ID'],
  primary_ips_changeProtection: ['ID'],
}

/** What a body of an operation means, without what the API takes anyhow. */
export function meaningOf(body: unknown, operation: string, site: Site): unknown {
  return settled(body, { operation, path: '', field: '' }, site)
}

interface Place {
  readonly operation: string
  /** The names of the fields that lead there, with dots between them. */
  readonly path: string
  readonly field: string
}

/**
 * A value without what says nothing: null, empty lists, objects and texts, and what is usual. Names become ids, networks
 * canonical, and the order of a list does not count.
 */
function settled(value: unknown, place: Place, site: Site): unknown {
  const { operation, path, field } = place
  if (value === null || value === '' || value === undefined || usual[operation]?.[path] === value) return undefined
  if (ignored[operation]?.includes(path)) return undefined
  if (Array.isArray(value)) {
    const all = value.map((one) => settled(one, place, site)).filter((one) => one !== undefined)
    return all.length === 0 ? undefined : all.map((one) => JSON.stringify(one)).sort()
  }
  if (typeof value === 'object') {
    const inside = (name: string) => ({ operation, path: path === '' ? name : `${path}.${name}`, field: name })
    const fields = Object.entries(value)
      .map(([name, one]) => [name, field === 'labels' ? one : settled(one, inside(name), site)] as const)
      .filter(([, one]) => one !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return fields.length === 0 ? undefined : Object.fromEntries(fields)
  }
  if (typeof value !== 'string') return value
  const network = value.includes('/') ? parseCidr(value, 'drop') : undefined
  if (network?.ok) return network.cidr
  const names = site.ids[field]
  return names?.get(value) ?? (names && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value)
}
