/** docs/terraform.md, followed to the letter: its configuration, its commands, and what it says they print. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { findProgram, installProvider, run, serve, skipWithout } from '../kit/clients.ts'
import { mirror } from '../kit/mirror.ts'
import { firstCommand, readPage, settingsFor } from '../kit/page.ts'
import { describeTerraform, nothing } from '../terraform/terraform.ts'

const root = join(import.meta.dirname, '../../..')
const page = readPage('docs/terraform.md')

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
    TF_CLI_CONFIG_FILE: mirror(service.folder, provider, version),
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

describeTerraform('What the page says that plans need', (cloud) => {
  const [, certificate, service] = page.blocksOf('hcl').map(({ text }) => text)

  it('is a zone before its certificate', async () => {
    const workspace = cloud().open('certificate')
    // The certificate comes first for certain where the zone waits for it.
    const reversed = certificate!
      .replace(/^ *depends_on.*$/m, '')
      .replace('"primary"', '"primary"\n  depends_on = [hcloud_managed_certificate.web]')
    workspace.write('main.tf', reversed)
    assert.match(await workspace.applyFails(), /dns_zone_not_found.* with hcloud_managed_certificate\.web/)
    await workspace.destroy()
    workspace.write('main.tf', certificate!)
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 2 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 2 })
  })

  it('are the status codes of a health check', async () => {
    const workspace = cloud().open('health-check')
    workspace.write('main.tf', service!.replace(/^ *status_codes.*$/m, ''))
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 2 })
    await assert.rejects(workspace.planIsEmpty(), /- "2\?\?"/)
    workspace.write('main.tf', service!)
    assert.deepEqual(await workspace.apply(), nothing)
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 2 })
  })

  it('is no assignee_type of a Primary IP that is free', async () => {
    const workspace = cloud().open('free-address')
    const address = (more: string) =>
      `resource "hcloud_primary_ip" "free" {\n  name = "free"\n  type = "ipv4"\n  location = "hel1"\n${more}}\n`
    workspace.write('main.tf', address('  assignee_type = "server"\n'))
    assert.match(
      await workspace.applyFails(),
      /inconsistent result.*\.assignee_type: was .*"server".* but now .*"unassigned"/,
    )
    await workspace.destroy()
    workspace.write('main.tf', address(''))
    assert.deepEqual(await workspace.apply(), { ...nothing, added: 1 })
    await workspace.planIsEmpty()
    assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: 1 })
  })
})
