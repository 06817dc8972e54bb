/** Terraform with the real provider applies, finds nothing left to do, changes and destroys. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { findProgram, installProvider, publicKey, run, serve, skipWithout } from './clients.ts'
import { drivesWhatIsSaid } from './driven.ts'

const key = publicKey()

/** `rule` blocks of the firewall and the labels of the server vary between applies. */
const plan = (options: { ports: readonly string[]; description: string }) => `
terraform {
  required_providers {
    hcloud = { source = "hetznercloud/hcloud" }
  }
}

resource "hcloud_ssh_key" "laptop" {
  name       = "laptop"
  public_key = "${key}"
}

resource "hcloud_firewall" "selected" {
  name   = "selected"
  labels = { managed = "yes" }
  rule {
    direction  = "in"
    protocol   = "icmp"
    source_ips = ["0.0.0.0/0", "::/0"]
  }
${options.ports
  .map(
    (port) => `  rule {
    direction   = "in"
    protocol    = "tcp"
    port        = "${port}"
    source_ips  = ["10.0.0.0/8", "2001:db8:10::/48"]
    description = "${options.description}"
  }`,
  )
  .join('\n')}
  rule {
    direction       = "out"
    protocol        = "udp"
    port            = "any"
    destination_ips = ["0.0.0.0/0", "::/0"]
  }
  apply_to {
    label_selector = "tier=front"
  }
}

resource "hcloud_firewall" "attached" {
  name = "attached"
}

resource "hcloud_firewall_attachment" "attached" {
  firewall_id = hcloud_firewall.attached.id
  server_ids  = [hcloud_server.one.id]
}

resource "hcloud_server" "one" {
  name        = "one"
  image       = "debian-12"
  server_type = "cpx22"
  location    = "hel1"
  ssh_keys    = [hcloud_ssh_key.laptop.id]
  labels      = { tier = "front" }
  lifecycle {
    ignore_changes = [firewall_ids]
  }
}

output "server" {
  value = { id = hcloud_server.one.id, status = hcloud_server.one.status, ipv4 = hcloud_server.one.ipv4_address }
}
`

it('Terraform applies, changes and destroys', async (t) => {
  const terraform = findProgram('terraform')
  if (!terraform) return skipWithout(t, 'terraform is not installed')
  const provider = await installProvider()
  if (!provider) return skipWithout(t, 'go is not installed, which builds the Terraform provider')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const cwd = join(service.folder, 'plan')
  mkdirSync(cwd)
  const settings = join(service.folder, 'terraform.rc')
  // The provider comes from its folder; the registry is never asked.
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides { "hetznercloud/hcloud" = "${provider}" }\n  direct {}\n}\n`,
  )
  const env = { ...service.env, TF_CLI_CONFIG_FILE: settings, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' }
  const write = (options: Parameters<typeof plan>[0]) => writeFileSync(join(cwd, 'main.tf'), plan(options))

  async function works(command: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(terraform as string, [command, '-no-color', ...args], { env, cwd })
    assert.equal(code, 0, `terraform ${command}: ${stdout}${stderr}`)
    return stdout
  }
  const apply = () => works('apply', '-auto-approve', '-input=false')
  // With -detailed-exitcode, a plan that would change something exits with 2.
  const planIsEmpty = () => works('plan', '-input=false', '-detailed-exitcode')
  const shown = async (kind: string) => {
    const response = await fetch(`${service.env.HCLOUD_ENDPOINT}/${kind}`, {
      headers: { authorization: `Bearer ${service.env.HCLOUD_TOKEN}` },
    })
    // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
    return ((await response.json()) as Record<string, any>)[kind]
  }

  write({ ports: ['22', '80-90'], description: 'office' })
  assert.match(await apply(), /Apply complete! Resources: 5 added, 0 changed, 0 destroyed/)
  await planIsEmpty()
  const [server] = await shown('servers')
  const output = JSON.parse(await works('output', '-json', 'server'))
  assert.deepEqual(output, { id: String(server.id), status: 'running', ipv4: server.public_net.ipv4.ip })
  assert.deepEqual(
    server.public_net.firewalls.map(({ status }: { status: string }) => status),
    ['applied', 'applied'],
  )

  write({ ports: ['443'], description: 'everybody' })
  assert.match(await apply(), /Apply complete! Resources: 0 added, 1 changed, 0 destroyed/)
  await planIsEmpty()
  const firewall = (await shown('firewalls')).find(({ name }: { name: string }) => name === 'selected')
  assert.deepEqual(
    firewall.rules.map(({ protocol, port }: { protocol: string; port: string | null }) => [protocol, port]).sort(),
    [
      ['icmp', null],
      ['tcp', '443'],
      ['udp', 'any'],
    ],
  )

  assert.match(await works('destroy', '-auto-approve', '-input=false'), /Destroy complete! Resources: 5 destroyed/)
  for (const kind of ['servers', 'firewalls', 'ssh_keys']) assert.deepEqual(await shown(kind), [], kind)
})

drivesWhatIsSaid(import.meta.filename)
