/** `wolke mcp`, as the official client of the protocol uses it. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { findProgram, installProvider, skipWithout } from '../../clients/kit/clients.ts'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'

before(build)

// biome-ignore lint/suspicious/noExplicitAny: each tool answers with a shape of its own
type Json = any

interface Assistant {
  /** Calls a tool that works; returns what it says. */
  calls(name: string, given?: object): Promise<Json>
  /** Calls a tool that does not; returns why. */
  fails(name: string, given?: object): Promise<string>
  readonly client: Client
  readonly folder: string
}

async function connect(t: TestContext, env: Record<string, string> = {}, args: string[] = []): Promise<Assistant> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-assistant-'))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bundle, 'mcp', ...args],
    env: { PATH: process.env.PATH!, TMPDIR: temporary, ...env },
    stderr: 'pipe',
  })
  let told = ''
  transport.stderr?.on('data', (text) => {
    told += text
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  t.after(async () => {
    await client.close()
    assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind')
    assert.equal(told, '')
    rmSync(folder, { recursive: true })
  })
  const call = async (name: string, given: object) => {
    const { content, isError } = (await client.callTool({ name, arguments: { ...given } })) as Json
    return { text: content[0].text as string, isError: isError === true }
  }
  return {
    client,
    folder,
    async calls(name, given = {}) {
      const { text, isError } = await call(name, given)
      assert.ok(!isError, text)
      return JSON.parse(text)
    },
    async fails(name, given = {}) {
      const { text, isError } = await call(name, given)
      assert.ok(isError, text)
      return text
    },
  }
}

const real = 'the token of a real cloud'
/** It says what it is given and where it is. */
const stub = '#!/bin/sh\nenv; pwd; ls -A; echo "$@"; cat "$1" 2>/dev/null; exit 3\n'

/** An environment in which programs are ones that say what they are given. */
function stubs(t: TestContext): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-stubs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['hcloud', 'terraform']) writeFileSync(join(folder, name), stub, { mode: 0o755 })
  return { PATH: `${folder}:${process.env.PATH}`, HCLOUD_TOKEN: real, TF_VAR_token: real, HOME: '/home/somebody' }
}

describe('wolke mcp', { concurrency: 2 }, () => {
  test('lists its tools with their schemas', async (t) => {
    const { client } = await connect(t)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name).sort()
    assert.deepEqual(names, [
      ...['advance_time', 'end_cloud', 'fork_cloud', 'heal', 'inject_fault', 'list_faults', 'next_events'],
      ...['read_report', 'request', 'reset_cloud', 'run', 'start_cloud', 'write_file'],
    ])
    for (const { description, inputSchema } of tools) {
      assert.ok(description)
      assert.equal(inputSchema.type, 'object')
      assert.equal(inputSchema.additionalProperties, false)
    }
    assert.match(client.getInstructions() ?? '', /fork/)
  })

  test('injects faults, and reads what programs have done', async (t) => {
    const { calls, fails } = await connect(t)
    const { cloud } = await calls('start_cloud', { scenario: 'rate-limited' })
    assert.ok((await calls('list_faults', { cloud })).length > 0)
    await calls('heal', { cloud })
    const fault = { match: { operation: 'firewalls_list' }, fault: { error: { code: 'conflict' } } }
    const { name } = await calls('inject_fault', { cloud, ...fault })
    assert.equal((await calls('request', { cloud, method: 'GET', path: '/firewalls' })).status, 409)
    assert.equal((await calls('list_faults', { cloud }))[0].hits, 1)
    await calls('heal', { cloud, name })
    const body = { name: 'web' }
    assert.equal((await calls('request', { cloud, method: 'POST', path: '/firewalls', body })).status, 201)
    const { leftovers, assertions } = await calls('read_report', { cloud, fail_on: ['leftovers'] })
    assert.deepEqual([leftovers.length, assertions[0].holds], [1, false])
    assert.match(
      await fails('inject_fault', { cloud, fault: { error: { code: 'no such code' } } }),
      /fault\.error\.code/,
    )
    assert.match(await fails('read_report', { cloud, fail_on: ['speed'] }), /fail_on/)
  })

  test('starts clouds, asks them, forks them and moves their time', async (t) => {
    const { calls, fails } = await connect(t)
    const { cloud, now } = await calls('start_cloud', { now: '2027-03-31', clock: 'frozen' })
    assert.equal(now, '2027-03-31T00:00:00.000Z')
    const make = (of: string, name: string) =>
      calls('request', { cloud: of, method: 'POST', path: '/firewalls', body: { name } })
    const list = async (of: string) =>
      (await calls('request', { cloud: of, method: 'GET', path: '/firewalls' })).body.firewalls.map(
        ({ name }: Json) => name,
      )
    assert.equal((await make(cloud, 'web')).status, 201)
    const fork = (await calls('fork_cloud', { cloud })).cloud
    await make(fork, 'fork')
    assert.deepEqual([await list(cloud), await list(fork)], [['web'], ['web', 'fork']])
    const { events } = await calls('next_events', { cloud, limit: 1 })
    assert.equal(events[0].time, '2027-04-01T00:00:00.000Z')
    assert.deepEqual(await calls('advance_time', { cloud, by: '2d' }), { now: '2027-04-02T00:00:00.000Z' })
    await calls('reset_cloud', { cloud })
    assert.deepEqual(await list(cloud), [])
    await calls('end_cloud', { cloud: fork })
    assert.match(await fails('end_cloud', { cloud: fork }), /^cloud: there is no cloud cloud-2; there are cloud-1$/)
  })

  test('ends the forks of a cloud with it', async (t) => {
    const { calls, fails } = await connect(t)
    const { cloud } = await calls('start_cloud')
    const { cloud: fork } = await calls('fork_cloud', { cloud })
    await calls('fork_cloud', { cloud: fork })
    const { cloud: other } = await calls('start_cloud')
    await calls('end_cloud', { cloud })
    const refusal = `cloud: there is no cloud ${fork}; there are ${other}`
    assert.equal(await fails('request', { cloud: fork, method: 'GET', path: '/servers' }), refusal)
  })

  test('refuses what makes no sense, and goes on', async (t) => {
    const { calls, fails } = await connect(t)
    assert.match(await fails('start_cloud', { now: 'tomorrow' }), /^now: /)
    assert.match(await fails('start_cloud', { clock: 'backwards' }), /^clock: /)
    assert.match(await fails('start_cloud', { nwo: '2027-01-01' }), /^nwo: is not known$/)
    assert.match(await fails('no_such_tool'), /^there is no tool no_such_tool$/)
    const { cloud } = await calls('start_cloud')
    assert.match(await fails('advance_time', { cloud, by: 'a while' }), /invalid input in field 'by'/)
    assert.match(await fails('run', { cloud, program: 'sh', arguments: [] }), /^program: /)
    assert.match(await fails('request', { cloud, method: 'GET', path: '@example.com/' }), /^path: /)
    for (const option of ['--config=/home/somebody/cli.toml', '--context', '--endpoint=https://example.com'])
      assert.match(await fails('run', { cloud, program: 'hcloud', arguments: [option, 'x'] }), /lead away/)
  })

  test('runs programs that know this cloud alone, in a folder of its own', async (t) => {
    const { calls, folder } = await connect(t, stubs(t))
    const { cloud, endpoint } = await calls('start_cloud')
    await calls('write_file', { cloud, path: 'modules/net/main.tf', text: 'first' })
    await calls('write_file', { cloud, path: 'main.tf', text: 'the text' })
    const { code, stdout } = await calls('run', { cloud, program: 'terraform', arguments: ['main.tf', 'x; y'] })
    assert.equal(code, 3)
    assert.ok(stdout.includes(`HCLOUD_ENDPOINT=${endpoint}\n`))
    assert.ok(stdout.includes(`HETZNER_ENDPOINT=${endpoint.replace('/v1', '/storage/v1')}\n`))
    assert.ok(stdout.endsWith('main.tf\nmodules\nmain.tf x; y\nthe text'), stdout)
    assert.ok(!stdout.includes(real))
    assert.doesNotMatch(stdout, /TF_VAR_token|home\/somebody|WOLKE_LAB_TOKEN/)
    const fork = (await calls('fork_cloud', { cloud })).cloud
    await calls('write_file', { cloud: fork, path: 'main.tf', text: 'another' })
    const again = await calls('run', { cloud, program: 'terraform', arguments: ['main.tf'] })
    assert.ok(again.stdout.endsWith('the text'))
    assert.ok(readdirSync(join(folder, 'tmp')).length > 0)
  })

  test('writes nowhere but in that folder', async (t) => {
    const { calls, fails, folder } = await connect(t)
    const { cloud } = await calls('start_cloud')
    for (const path of ['../out.tf', '..', '.', 'a/../../out.tf'])
      assert.match(await fails('write_file', { cloud, path, text: '' }), /^path: must be within/, path)
    const [workspace] = readdirSync(join(folder, 'tmp'))
    symlinkSync(folder, join(folder, 'tmp', workspace!, 'files/link'))
    assert.match(await fails('write_file', { cloud, path: 'link/out.tf', text: '' }), /^path: must not leave/)
    assert.deepEqual(readdirSync(folder), ['tmp'])
  })

  test('gives clouds the files of a folder, without what is of another cloud', async (t) => {
    const files = mkdtempSync(join(tmpdir(), 'wolke-files-'))
    t.after(() => rmSync(files, { recursive: true }))
    mkdirSync(join(files, '.terraform'))
    const names = [
      'main.tf',
      'terraform.tfstate',
      'terraform.tfstate.backup',
      'prod.tfvars',
      '.env',
      '.terraform.lock.hcl',
    ]
    for (const name of names) writeFileSync(join(files, name), '')
    const { calls } = await connect(t, stubs(t), ['--files', files])
    const { cloud } = await calls('start_cloud')
    const { stdout } = await calls('run', { cloud, program: 'hcloud', arguments: [] })
    assert.match(stdout, /\/files\n\.terraform\.lock\.hcl\nmain\.tf\n\n$/)
  })

  test('hands on mirrors and proxies for downloads, and no credentials', async (t) => {
    const settings = mkdtempSync(join(tmpdir(), 'wolke-settings-'))
    t.after(() => rmSync(settings, { recursive: true }))
    const [mirror, secret] = [join(settings, 'mirror.rc'), join(settings, 'secret.rc')]
    writeFileSync(mirror, 'provider_installation {\n  direct {}\n}\n')
    writeFileSync(secret, 'credentials "app.terraform.io" {\n  token = "a secret"\n}\n')
    const proxy = 'http://proxy.example:3128'
    for (const [file, isGiven] of [
      [mirror, true],
      [secret, false],
    ] as const) {
      const { calls } = await connect(t, { ...stubs(t), TF_CLI_CONFIG_FILE: file, HTTPS_PROXY: proxy })
      const { cloud } = await calls('start_cloud')
      const lines = (await calls('run', { cloud, program: 'terraform', arguments: [] })).stdout.split('\n')
      assert.equal(lines.includes(`TF_CLI_CONFIG_FILE=${file}`), isGiven)
      assert.ok(lines.includes(`HTTPS_PROXY=${proxy}`))
      assert.ok(lines.includes('no_proxy=127.0.0.1,localhost,::1'))
    }
  })

  test('says which program is missing', async (t) => {
    const { calls, fails } = await connect(t, { PATH: '/nowhere' })
    const { cloud } = await calls('start_cloud')
    assert.equal(await fails('run', { cloud, program: 'tofu', arguments: [] }), 'tofu is not installed')
  })

  test('lets the real Terraform work', async (t) => {
    const [terraform, provider] = [findProgram('terraform'), await installProvider()]
    if (!terraform || !provider) return skipWithout(t, 'Terraform, or Go to build its provider, is not installed')
    const settings = mkdtempSync(join(tmpdir(), 'wolke-terraform-'))
    t.after(() => rmSync(settings, { recursive: true }))
    const file = join(settings, 'terraform.rc')
    writeFileSync(
      file,
      `provider_installation {\n  dev_overrides { "hetznercloud/hcloud" = "${provider}" }\n  direct {}\n}\n`,
    )
    const { calls } = await connect(t, { TF_CLI_CONFIG_FILE: file })
    const { cloud } = await calls('start_cloud', { clock: 'skip', actions: 'realistic' })
    const text = `terraform {
  required_providers {
    hcloud = { source = "hetznercloud/hcloud" }
  }
}
resource "hcloud_firewall" "web" { name = "web" }
`
    await calls('write_file', { cloud, path: 'main.tf', text })
    const apply = { program: 'terraform', arguments: ['apply', '-auto-approve', '-no-color'] }
    const { code, stdout, stderr } = await calls('run', { cloud, ...apply })
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /1 added/)
    // The fork has the cloud and the state of Terraform, so that there is nothing left to do.
    const fork = (await calls('fork_cloud', { cloud })).cloud
    assert.match((await calls('run', { cloud: fork, ...apply })).stdout, /0 added, 0 changed, 0 destroyed/)
  })
})
