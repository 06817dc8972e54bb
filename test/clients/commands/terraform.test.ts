/** The resources of Terraform that the console shows are those requests: one configuration has all of them. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Asked } from '../../../console/commands/request.ts'
import { blockText, type Value } from '../../../console/commands/terraform/hcl.ts'
import { terraformOperations, toTerraform, toTerraformImport } from '../../../console/commands/terraform/render.ts'
import { allEndpoints } from '../../../src/pages/openapi.ts'
import { selfSigned } from '../../kit/samples/certificates.ts'
import { selected } from '../../kit/samples/pasted.ts'
import { hostile } from '../kit/bodies.ts'
import {
  endpointsAt,
  findProgram,
  installProvider,
  publicKey,
  run,
  type Service,
  serve,
  skipWithout,
} from '../kit/clients.ts'
import { record } from '../kit/recorder.ts'
import { openCloud } from '../terraform/terraform.ts'
import { meaningOf, type Site, settle } from './commands.ts'

const terraform = findProgram('terraform')
const provider = await installProvider()

/** What some resources need besides: a subnet, a zone, and the addresses that are there. */
async function prepare({ env }: Service, one: Site['one']) {
  const headers = { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' }
  const call = async (path: string, body?: object) => {
    const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const reply = await fetch(env.HCLOUD_ENDPOINT + path, { headers, ...how })
    assert.ok(reply.ok, path)
    return reply.json()
  }
  const cloud = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }
  await call(`/networks/${one.networks}/actions/add_subnet`, cloud)
  await call('/zones', { name: 'example.net', mode: 'primary' })
  const { server } = (await call(`/servers/${one.servers}`)) as { server: { public_net: { ipv4: { ip: string } } } }
  const { primary_ip } = (await call(`/primary_ips/${one.primary_ips}`)) as { primary_ip: { ip: string } }
  const { floating_ip } = (await call(`/floating_ips/${one.floating_ips}`)) as { floating_ip: { ip: string } }
  const balancer = (await call(`/load_balancers/${one.load_balancers}`)) as {
    load_balancer: { public_net: { ipv4: { ip: string } } }
  }
  return {
    server: server.public_net.ipv4.ip,
    primary: primary_ip.ip,
    floating: floating_ip.ip,
    balancer: balancer.load_balancer.public_net.ipv4.ip,
  }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be a template
const tricky = 'a "quoted" ${text} with %{if} $${more}, \\ and\nlines, ä 🙂'

const boxPassword = '1-secret-PASSW0RD-=)'
/** The provider says of each flag whether it is on. */
const subaccountFlags = {
  reachable_externally: false,
  readonly: false,
  samba_enabled: false,
  ssh_enabled: false,
  webdav_enabled: false,
}
const { readonly: _, ...boxFlags } = { ...subaccountFlags, zfs_enabled: false }

const withBackups: Asked = {
  operation: 'servers_create',
  body: { name: 'backed-up', server_type: 'cpx22', image: 'debian-12', location: 'hel1' },
  afterwards: ['servers_enableBackup'],
}

/** A request for each operation that has a resource. */
function configuration(one: Site['one'], ips: Awaited<ReturnType<typeof prepare>>): Asked[] {
  const labels = { 'example.com/tier': 'front', plain: '' }
  const server = one.servers!
  const of = (operation: string, id: number | undefined, body: object): Asked => ({
    operation,
    params: { id: id ?? 0 },
    body,
  })
  return [
    of('ssh_keys_create', undefined, { name: tricky, public_key: publicKey(), labels }),
    of('placement_groups_create', undefined, { name: 'group', type: 'spread', labels }),
    of('servers_create', undefined, {
      name: 'made-1',
      server_type: 'cpx22',
      image: 'debian-12',
      location: 'hel1',
      ssh_keys: [one.ssh_keys],
      firewalls: [{ firewall: one.firewalls }],
      networks: [one.networks],
      user_data: tricky,
      public_net: { enable_ipv4: true, enable_ipv6: false },
      labels,
    }),
    withBackups,
    of('servers_createImage', server, { type: 'snapshot', description: tricky, labels }),
    of('volumes_create', undefined, { name: 'disk', size: 10, location: 'hel1', format: 'xfs', labels }),
    of('volumes_attach', one.volumes, { server, automount: true }),
    of('networks_create', undefined, {
      name: 'own',
      ip_range: '10.0.0.0/8',
      expose_routes_to_vswitch: false,
      labels,
      subnets: [],
    }),
    of('networks_addSubnet', one.networks, { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.2.0/24' }),
    of('networks_addRoute', one.networks, { destination: '192.168.0.0/16', gateway: '10.0.1.9' }),
    of('networks_attachToNetwork', server, { network: one.networks, ip: '10.0.1.7', alias_ips: ['10.0.1.8'] }),
    of('primary_ips_create', undefined, { name: 'ip', type: 'ipv4', location: 'hel1', auto_delete: false, labels }),
    of('primary_ips_changeDnsPtr', one.primary_ips, { ip: ips.primary, dns_ptr: 'a.example.net' }),
    of('primary_ips_changeServerDnsPtr', server, { ip: ips.server, dns_ptr: 'b.example.net' }),
    of('floating_ips_create', undefined, {
      name: 'floater',
      type: 'ipv4',
      home_location: 'hel1',
      description: tricky,
      labels,
    }),
    of('floating_ips_assign', one.floating_ips, { server }),
    of('floating_ips_changeDnsPtr', one.floating_ips, { ip: ips.floating, dns_ptr: 'c.example.net' }),
    of('firewalls_create', undefined, {
      name: 'made',
      labels,
      rules: [
        { direction: 'in', protocol: 'tcp', port: '80-85', source_ips: ['0.0.0.0/0', '::/0'], description: tricky },
        { direction: 'out', protocol: 'icmp', destination_ips: ['10.0.0.0/8'] },
      ],
      apply_to: [{ type: 'label_selector', label_selector: { selector: 'nobody=here' } }],
    }),
    of('firewalls_applyToResources', one.firewalls, { apply_to: [{ type: 'server', server: { id: server } }] }),
    of('certificates_create', undefined, { name: 'up', ...selfSigned('www.example.org'), labels }),
    of('certificates_create', undefined, { name: 'kept', type: 'managed', domain_names: ['www.example.net'], labels }),
    of('load_balancers_create', undefined, {
      name: 'balance',
      load_balancer_type: 'lb11',
      location: 'hel1',
      algorithm: { type: 'least_connections' },
      labels,
    }),
    of('load_balancers_addService', one.load_balancers, {
      protocol: 'http',
      listen_port: 8080,
      destination_port: 80,
      proxyprotocol: true,
      http: { sticky_sessions: true, cookie_name: 'kept', cookie_lifetime: 300 },
      health_check: {
        protocol: 'http',
        port: 80,
        interval: 10,
        timeout: 5,
        retries: 2,
        http: { path: '/health', status_codes: ['2??'], domain: 'example.com' },
      },
    }),
    of('load_balancers_addTarget', one.load_balancers, { type: 'server', server: { id: server } }),
    of('load_balancers_attachToNetwork', one.load_balancers, { network: one.networks, ip: '10.0.1.20' }),
    of('load_balancers_changeDnsPtr', one.load_balancers, { ip: ips.balancer, dns_ptr: 'd.example.net' }),
    of('storage_boxes_create', undefined, {
      name: 'boxed',
      storage_box_type: 'bx11',
      location: 'hel1',
      password: boxPassword,
      ssh_keys: [publicKey()],
      access_settings: { ...boxFlags, ssh_enabled: true, zfs_enabled: true },
      labels,
    }),
    of('storage_boxes_createSnapshot', one.storage_boxes, { description: 'before: the move', labels }),
    of('storage_boxes_createSubaccount', one.storage_boxes, {
      home_directory: 'team/web',
      password: boxPassword,
      name: 'web',
      description: tricky,
      access_settings: { ...subaccountFlags, readonly: true },
      labels,
    }),
    of('zones_create', undefined, { name: 'example.org', mode: 'primary', ttl: 600, labels }),
    {
      operation: 'zones_createRrset',
      params: { id_or_name: 'example.net' },
      body: {
        name: 'www',
        type: 'TXT',
        ttl: 300,
        labels,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be a template
        records: [{ value: '"${x} %{y}"', comment: 'one' }, { value: '"two"' }],
      },
    },
  ]
}

const rows = new Map(allEndpoints().map(({ family, key, endpoint }) => [`${family}_${key}`, endpoint]))

const pathOf = ({ operation, params = {} }: Asked) =>
  rows.get(operation)!.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]))

describe('texts of Terraform', () => {
  it('mean what they say', async (t) => {
    if (!terraform) return skipWithout(t, 'Terraform is not installed')
    // Terraform composes characters, so that texts which differ in that only are the same to it.
    const texts = fc.sample(hostile, { numRuns: 400, seed: 11 }).map((text) => text.normalize('NFC'))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be a template
    const more = ['$${', '%%{', '$$${x}', '%%%{if}', '\\${', '$', '%', '${', '%{', '"${"', '\u0001\u007f', '$${$${']
    const all = [...more, ...texts]
    const folder = mkdtempSync(join(tmpdir(), 'wolke-hcl-'))
    try {
      const words = ['for', 'if', 'in', 'null', 'true', 'a-b', 'a.b', '1']
      const map: Value = Object.fromEntries([...words, ...all.slice(0, 50)].map((text) => [text, text]))
      const outputs = [
        blockText(['output', 'list'], { attributes: { value: all } }),
        blockText(['output', 'map'], { attributes: { value: map } }),
      ]
      writeFileSync(join(folder, 'main.tf'), `${selected(outputs.join('\n'))}\n`)
      const { code, stderr } = await run(terraform, ['apply', '-auto-approve', '-no-color'], { cwd: folder })
      assert.equal(code, 0, stderr)
      const { outputs: told } = JSON.parse(readFileSync(join(folder, 'terraform.tfstate'), 'utf8'))
      assert.deepEqual(told.list.value, all)
      assert.deepEqual(told.map.value, map)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('what the console shows for Terraform', () => {
  it('makes the requests that it stands for', async (t) => {
    if (!terraform || !provider) return skipWithout(t, 'Terraform, or Go to build its provider, is not installed')
    const service = await serve('sqlite')
    const site = await settle(service)
    const recorder = await record(service.env.HCLOUD_ENDPOINT!)
    recorder.lets(true)
    try {
      const asked = configuration(site.one, await prepare(service, site.one))
      const texts = asked.map((one) => {
        const rendered = toTerraform(one)
        assert.ok('text' in rendered, `${one.operation}: ${'reason' in rendered && JSON.stringify(rendered.reason)}`)
        return rendered.text
      })
      const missing = terraformOperations.filter((operation) => !asked.some((one) => one.operation === operation))
      assert.deepEqual(missing, [], 'operations that are not tried')
      // One after the other: a snapshot is refused while the configuration's other changes to its server run.
      const env = { ...service.env, TF_CLI_ARGS_apply: '-parallelism=1', ...endpointsAt(recorder.endpoint) }
      const workspace = openCloud(terraform, provider, { ...service, env }).open('shown')
      workspace.write('main.tf', `${selected(texts.join('\n\n'))}\n`)
      await workspace.apply()
      const arrived = recorder.take().filter(({ method }) => method !== 'GET')
      for (const one of asked) {
        const wanted = meaning(one)
        const bodies = arrived.filter(({ path }) => path === pathOf(one)).map(({ body }) => meaning({ ...one, body }))
        assert.ok(
          bodies.some((body) => JSON.stringify(body) === JSON.stringify(wanted)),
          `${one.operation}\n${JSON.stringify(wanted)}\n${JSON.stringify(bodies, null, 1)}`,
        )
      }
      const { afterwards: [further] = [] } = withBackups
      const turnedOn = arrived.filter(({ path }) => path.endsWith(rows.get(further!)!.path.replace(/.*\}/, '')))
      assert.equal(turnedOn.length, 1)
      // The server that was made, the one that was there, and the Load Balancer; what is refused for a while is repeated.
      const attached = new Set(arrived.flatMap(({ path }) => (path.endsWith('/attach_to_network') ? path : [])))
      assert.equal(attached.size, 3)
    } finally {
      await recorder.stop()
      await service.stop()
    }
    /** Terraform attaches servers to their networks with requests of their own. */
    function meaning({ operation, body }: Asked) {
      const { networks, ...own } = body as Record<string, unknown>
      return meaningOf(operation === 'servers_create' ? own : body, operation, site)
    }
  })

  it('takes over what exists', () => {
    assert.equal(
      toTerraformImport('servers', { id: 1, name: 'web 1' }),
      'import {\n  to = hcloud_server.web_1\n  id = "1"\n}',
    )
    assert.equal(
      toTerraformImport('certificates', { id: 2, name: '', type: 'managed' })?.includes(
        'hcloud_managed_certificate.main',
      ),
      true,
    )
    assert.equal(toTerraformImport('images', { id: 3, type: 'backup' }), undefined)
    assert.equal(toTerraformImport('pricing', { id: 4 }), undefined)
  })
})
