/**
 * With the settings that the README prints, clients send the token to this cloud alone. They have a second endpoint, for
 * Storage Boxes, which is the public one unless somebody says otherwise.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  findProgram,
  installHcloud,
  installProvider,
  installPython,
  type Outcome,
  publicKey,
  run,
  type Service,
  serve,
  skipWithout,
} from './kit/clients.ts'
import { readPage, settingsFor } from './kit/page.ts'
import { refuseStrangers, type Strangers } from './kit/strangers.ts'
import { openCloud } from './terraform/terraform.ts'

let service: Service
let strangers: Strangers

before(async () => {
  service = await serve('memory')
  strangers = await refuseStrangers()
})
after(async () => {
  await service?.stop()
  await strangers?.stop()
})

/** A block of the README that names the endpoint, with that of the server. */
function printed(language: string): string {
  const block = readPage('README.md')
    .blocksOf(language)
    .find(({ text }) => /endpoint/i.test(text))
  return settingsFor(block!, service.env)
}

const environment = () => ({ ...strangers.env, HOME: service.folder, XDG_CONFIG_HOME: service.folder })

/** Asks as the README says and, where the client has a second endpoint, without it: only then it asks somebody else. */
async function asksNobodyElse(ask: (settings: (text: string) => string) => Promise<Outcome>, hasSecond: boolean) {
  strangers.take()
  const { code, stdout, stderr } = await ask((text) => text)
  assert.equal(code, 0, stdout + stderr)
  assert.deepEqual(strangers.take(), [])
  if (!hasSecond) return
  const alone = await ask((text) => {
    const less = text.replaceAll(/,? *(HETZNER_ENDPOINT=\S+|(api_)?endpoint_hetzner *= *(f?"[^"]*"|\w+))/g, '')
    assert.notEqual(less, text, 'the second endpoint is not printed')
    return less
  })
  assert.notEqual(alone.code, 0)
  assert.notDeepEqual(strangers.take(), [], 'this test would not notice')
}

/** hcloud has the commands for Storage Boxes since 1.55, and lists them with all. */
async function hcloud(t: TestContext, generation: 'old' | 'new' | 'newest') {
  const installed = await installHcloud(generation)
  if (!installed) return skipWithout(t, 'hcloud is not installed')
  const { program, minor } = installed
  const hasBoxes = minor >= 55
  const lines = ['all list', ...(hasBoxes ? ['storage-box list', 'storage-box-type list'] : [])]
  const commands = lines.map((line) => `"$0" ${line}`).join('\n')
  const [first] = printed('sh').split('\n')
  await asksNobodyElse(
    (settings) => run('sh', ['-ec', `${settings(first!)}\n${commands}`, program], { env: environment() }),
    hasBoxes,
  )
}

const newest = await installHcloud('newest')

describe('with the settings of the README, nothing goes elsewhere', { concurrency: 1 }, () => {
  it('from the hcloud of the machine', (t) => hcloud(t, 'old'))

  it('from the hcloud of Debian 13', (t) => hcloud(t, 'new'))

  // No distribution has it yet, and not every place can build it.
  if (newest) it('from the newest hcloud', (t) => hcloud(t, 'newest'))

  it('and the commands of the README make a server that a key opens', async (t) => {
    const installed = await installHcloud('new')
    if (!installed) return skipWithout(t, 'hcloud is not installed')
    mkdirSync(join(service.folder, '.ssh'), { recursive: true })
    writeFileSync(join(service.folder, '.ssh/id_ed25519.pub'), publicKey())
    const [curl] = /(?<=^\*\*curl\*\*: `).*(?=`$)/m.exec(readPage('README.md').text)!
    const commands = `${printed('sh')}\n${settingsFor({ language: 'sh', text: curl }, service.env)}?name=web-1`
    const path = `${dirname(installed.program)}${delimiter}${process.env.PATH}`
    const { code, stdout, stderr } = await run('sh', ['-ec', commands], { env: { ...environment(), PATH: path } })
    assert.equal(code, 0, `${commands}\n${stderr}`)
    const { servers } = JSON.parse(stdout.slice(stdout.indexOf('{"servers"')))
    const [{ status, image, public_net: net }] = servers
    assert.deepEqual([status, image.name, net.firewalls[0].status], ['running', 'debian-13', 'applied'])
    assert.deepEqual(strangers.take(), [])
  })

  it('from the Python library', async (t) => {
    const python = await installPython()
    if (!python) return skipWithout(t, 'the Python library cannot be installed')
    const asks = 'assert client.storage_boxes.get_all() == []\nassert len(client.storage_box_types.get_all()) == 4\n'
    const text = printed('python')
    await asksNobodyElse((settings) => run(python, ['-Bc', settings(text) + asks], { env: environment() }), true)
  })

  it('from the Terraform provider', async (t) => {
    const [terraform, provider] = [findProgram('terraform'), await installProvider()]
    if (!terraform || !provider) return skipWithout(t, 'Terraform, or Go to build its provider, is not installed')
    const text = printed('hcl').replace('var.token', `"${service.env.HCLOUD_TOKEN}"`)
    const source = 'terraform {\n  required_providers {\n    hcloud = { source = "hetznercloud/hcloud" }\n  }\n}\n'
    const boxes = 'data "hcloud_storage_boxes" "all" {}\ndata "hcloud_storage_box_types" "all" {}\n'
    const cwd = join(service.folder, 'endpoints')
    mkdirSync(cwd)
    const { env } = openCloud(terraform, provider, { folder: service.folder, env: environment() })
    await asksNobodyElse((settings) => {
      writeFileSync(join(cwd, 'main.tf'), source + settings(text) + boxes)
      return run(terraform, ['apply', '-no-color', '-input=false', '-auto-approve'], { cwd, env })
    }, true)
  })
})
