/** Zones through the Python library and the Terraform provider, unmodified. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { findProgram, installProvider, installPython, run, serve, skipWithout } from './clients.ts'
import { drivesWhatIsSaid } from './driven.ts'

it('the Python library works with zones', async (t) => {
  const python = await installPython()
  if (!python) return skipWithout(t, 'python3 is not installed')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const { code, stdout, stderr } = await run(python, [join(import.meta.dirname, 'hcloud_zones.py')], {
    env: service.env,
  })
  assert.equal(code, 0, stderr)
  const steps = ['zones', 'rrsets', 'zonefile', 'secondary', 'deletion']
  assert.deepEqual(JSON.parse(stdout), { steps, left: 0 })
})

/** Two records of one RRSet that is not there yet are made at the same time. */
const plan = ({ ttl, address, comment }: { ttl: number; address: string; comment: string }) => `
terraform {
  required_providers {
    hcloud = { source = "hetznercloud/hcloud" }
  }
}

resource "hcloud_zone" "main" {
  name              = "example.com"
  mode              = "primary"
  ttl               = ${ttl}
  delete_protection = false
  labels            = { ttl = "${ttl}" }
}

resource "hcloud_zone_rrset" "www" {
  zone    = hcloud_zone.main.name
  name    = "www"
  type    = "A"
  ttl     = ${ttl}
  records = [{ value = "${address}", comment = "${comment}" }, { value = "192.0.2.200" }]
}

resource "hcloud_zone_record" "shared" {
  for_each = toset(["198.51.100.1", "198.51.100.2", "198.51.100.3"])
  zone     = hcloud_zone.main.name
  name     = "shared"
  type     = "A"
  value    = each.value
  comment  = "${comment}"
}

resource "hcloud_zone" "copy" {
  name                = "other.example"
  mode                = "secondary"
  ttl                 = ${ttl}
  primary_nameservers = [{ address = "203.0.113.1", port = ${ttl} }]
}

resource "hcloud_managed_certificate" "all" {
  name         = "all"
  domain_names = ["*.\${hcloud_zone.main.name}", hcloud_zone.main.name]
  labels       = { ttl = "${ttl}" }
}
`

it('Terraform works with zones and the certificates for them', async (t) => {
  const terraform = findProgram('terraform')
  if (!terraform) return skipWithout(t, 'terraform is not installed')
  const provider = await installProvider()
  if (!provider) return skipWithout(t, 'go is not installed, which builds the Terraform provider')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const cwd = join(service.folder, 'plan')
  mkdirSync(cwd)
  const settings = join(service.folder, 'terraform.rc')
  const override = `dev_overrides { "hetznercloud/hcloud" = "${provider}" }`
  writeFileSync(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`)
  const env = { ...service.env, TF_CLI_CONFIG_FILE: settings, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' }
  const works = async (command: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(terraform, [command, '-no-color', ...args], { env, cwd })
    assert.equal(code, 0, `terraform ${command}: ${stdout}${stderr}`)
    return stdout
  }
  const plans = [
    { ttl: 3600, address: '192.0.2.1', comment: 'first' },
    { ttl: 7200, address: '192.0.2.2', comment: 'second' },
  ]
  for (const [index, options] of plans.entries()) {
    writeFileSync(join(cwd, 'main.tf'), plan(options))
    const resources = index === 0 ? '7 added, 0 changed' : '0 added, 7 changed'
    assert.match(
      await works('apply', '-auto-approve', '-input=false'),
      new RegExp(`Resources: ${resources}, 0 destroyed`),
    )
    // With -detailed-exitcode, a plan that would change something exits with 2.
    await works('plan', '-input=false', '-detailed-exitcode')
  }
  assert.match(await works('destroy', '-auto-approve', '-input=false'), /Resources: 7 destroyed/)
})

drivesWhatIsSaid(import.meta.filename)
