/** Real clients in the scenarios that ship: each meets what docs/scenarios.md says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ScenarioFile } from '../../../src/lab/faults/contract.ts'
import { shipped } from '../../../src/lab/faults/scenarios.ts'
import {
  endpointsAt,
  findProgram,
  installHcloud,
  installProvider,
  installPython,
  type Outcome,
  run,
  skipWithout,
} from '../../clients/kit/clients.ts'
import { settings } from '../../clients/terraform/terraform.ts'
import { type EngineName, engines, forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { type FaultLab, openFaultLab } from './kit.ts'

type Examples = NonNullable<ScenarioFile['examples']>
type Example = NonNullable<Examples['hcloud']>[number]
type Environment = Readonly<Record<string, string>>

interface Place {
  readonly env: Environment
  readonly folder: string
}

/** A program with its arguments for an example. */
type Line = (example: string) => readonly [program: string, ...args: string[]]

/** A client as it is installed: its lines, and what it needs in its folder. */
interface Installed {
  readonly line: Line
  readonly env?: Environment
  readonly files?: (endpoint: string) => Readonly<Record<string, string>>
}

const imports = `import os
from hcloud import Client
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType
url = os.environ["HCLOUD_ENDPOINT"]
client = Client(os.environ["HCLOUD_TOKEN"], api_endpoint=url, api_endpoint_hetzner=url, poll_interval=0.005)
`

const configuration = `resource "hcloud_server" "web" {
  name        = "web"
  server_type = "cx23"
  image       = "debian-13"
  location    = "fsn1"
}
`

const installers: Readonly<Record<keyof Examples, () => Promise<Installed | undefined>>> = {
  async hcloud() {
    const found = await installHcloud('new')
    return found && { line: (text) => [found.program, '--poll-interval', '5ms', ...text.split(' ').slice(1)] }
  },
  async python() {
    const python = await installPython()
    return python === undefined ? undefined : { line: (text) => [python, '-c', imports + text] }
  },
  async terraform() {
    const [terraform, provider] = [findProgram('terraform'), await installProvider()]
    if (terraform === undefined || provider === undefined) return undefined
    const overrides = `provider_installation {\n  dev_overrides { "hetznercloud/hcloud" = "${provider}" }\n  direct {}\n}\n`
    return {
      line: (command) => [terraform, command, '-no-color', '-input=false', '-auto-approve'],
      env: { TF_CLI_CONFIG_FILE: 'terraform.rc', CHECKPOINT_DISABLE: '1' },
      files: (endpoint) => ({
        'terraform.rc': overrides,
        'settings.tf': settings(endpoint),
        'main.tf': configuration,
      }),
    }
  },
}

/** The scenarios are the same on both databases, which hcloud shows; the others are driven on one. */
const databases: Readonly<Record<keyof Examples, readonly EngineName[]>> = {
  hcloud: engines,
  python: engines.slice(0, 1),
  terraform: engines.slice(0, 1),
}

for (const client of ['hcloud', 'python', 'terraform'] as const) {
  const installed = await installers[client]()
  forEachDatabase(
    `${client} in the scenario`,
    (open, engineName) => {
      for (const [name, { clock, examples = {} }] of shipped()) {
        const some = examples[client] ?? []
        if (some.length === 0) continue
        test(name, async (t) => {
          if (!installed) return skipWithout(t, `${client} is not installed`)
          const lab = await openFaultLab(open)
          const answer = await lab.ask('PUT', '/faults/scenario', { name })
          if (engineName === 'postgres' && clock) return assert.equal(answer.status, 422, 'time cannot be moved')
          assert.equal(answer.status, 200, answer.text)
          await inFolder(lab, installed, (place) => follow(lab, installed.line, place, some))
        })
      }
    },
    databases[client],
  )
}

async function inFolder(lab: FaultLab, { env = {}, files }: Installed, work: (place: Place) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-scenarios-'))
  const { baseUrl, api } = lab.world
  try {
    for (const [name, text] of Object.entries(files?.(baseUrl) ?? {})) writeFileSync(join(folder, name), text)
    const home = { HOME: folder, XDG_CONFIG_HOME: folder }
    await work({ folder, env: { ...home, ...endpointsAt(baseUrl), HCLOUD_TOKEN: api.token!, ...env } })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function follow(lab: FaultLab, line: Line, { env, folder }: Place, examples: readonly Example[]): Promise<void> {
  for (const { run: text, exit, says = '' } of examples) {
    const [program, ...args] = line(text)
    if (exit === null) {
      await doesNotEnd(lab, program, args, env)
      continue
    }
    const outcome = await run(program, args, { env, cwd: folder })
    assert.equal(outcome.code, exit, `${text}\n${said(outcome)}`)
    assert.ok(said(outcome).includes(says), `${text} does not say '${says}':\n${said(outcome)}`)
  }
}

/** What a program said, on one line: Terraform draws boxes around its errors. */
const said = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`.replaceAll(/[│\s]+/g, ' ')

/** Waits until the action that the command has started is hit: it runs as long as its rule is there. */
async function doesNotEnd({ api, rule }: FaultLab, program: string, args: readonly string[], env: Environment) {
  const child = spawn(program, args, { env: { PATH: '', ...env }, stdio: 'ignore' })
  const ended = once(child, 'close')
  try {
    for (;;) {
      const [hit] = (await rule('stuck')).last_hits
      if (hit) {
        const { action } = await done(api.get(`/actions/${hit.action_id}`))
        return assert.equal(action.status, 'running')
      }
      assert.equal(child.exitCode, null, 'the command has ended')
    }
  } finally {
    child.kill()
    await ended
  }
}

forEachDatabase('The day after deprecated-tomorrow', (open, engineName) => {
  test('the image is not there any more', async (t) => {
    const { api, ask } = await openFaultLab(open)
    if (engineName === 'postgres') return t.diagnostic('its time cannot be moved')
    await done(ask('PUT', '/faults/scenario', { name: 'deprecated-tomorrow' }))
    const server = { server_type: 'cx23', image: 'debian-11', location: 'fsn1' }
    await done(api.post('/servers', { ...server, name: 'today' }))
    await done(ask('POST', '/clock/advance', { by: '1d' }))
    assert.equal((await api.post('/servers', { ...server, name: 'tomorrow' })).status, 422)
  })
})
