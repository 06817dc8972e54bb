/** docs/terraform.md, followed to the letter: its configuration, its commands, and what it says they print. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { findProgram, installProvider, run, type Service, serve, skipWithout } from '../kit/clients.ts'
import { firstCommand, readPage, settingsFor } from '../kit/page.ts'

const root = join(import.meta.dirname, '../../..')
const page = readPage('docs/terraform.md')

/** Lets `terraform init` find the provider in a folder rather than in the registry. */
function mirror({ folder }: Service, provider: string, version: string): string {
  const target = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`
  const place = join(folder, 'mirror/registry.terraform.io/hetznercloud/hcloud', version, target)
  mkdirSync(place, { recursive: true })
  symlinkSync(join(provider, 'terraform-provider-hcloud'), join(place, `terraform-provider-hcloud_v${version}`))
  const settings = join(folder, 'terraform.rc')
  writeFileSync(settings, `provider_installation {\n  filesystem_mirror { path = "${join(folder, 'mirror')}" }\n}\n`)
  return settings
}

it('the first Terraform run goes as its page says', async (t) => {
  const provider = await installProvider()
  if (!findProgram('terraform') || !findProgram('curl') || !provider)
    return skipWithout(t, 'Terraform, Go to build its provider, or curl is missing')
  const version = basename(provider).replace(/.*-v/, '')
  assert.ok(page.text.includes(`provider ${version}`), 'the page names another version of the provider')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const env = {
    HOME: service.folder,
    TF_CLI_CONFIG_FILE: mirror(service, provider, version),
    TF_CLI_ARGS: '-no-color',
    CHECKPOINT_DISABLE: '1',
  }
  const cwd = join(service.folder, 'first-run')
  mkdirSync(cwd)

  const [configuration] = page.blocksOf('hcl')
  writeFileSync(join(cwd, 'main.tf'), configuration!.text)
  // The first command is that of the README and starts a server, which here is another one, at another address.
  const [start, variables, ...steps] = page.blocksOf('sh')
  assert.equal(start!.text.trim(), firstCommand)
  assert.ok(readFileSync(join(root, 'README.md'), 'utf8').includes(firstCommand))
  const settings = settingsFor(variables!, service.env)
  for (const step of steps) {
    const script = `set -e\n${settings}\n${step.text}`
    const { code, stdout, stderr } = await run('bash', ['-c', script], { env, cwd })
    assert.equal(code, 0, `${step.text}\n${stdout}${stderr}`)
    const said = page.printedBy(step)
    assert.ok(stdout.includes(said), `${step.text}\nprints not\n${said}\nbut:\n${stdout}`)
  }
})
