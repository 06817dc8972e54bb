/** Terraform with the real provider: folders with configurations, and the life that each of them is led through. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { storageUrlOf } from '../../../src/kernel/contract/bases.ts'
import { allEndpoints } from '../../../src/pages/openapi.ts'
import { findProgram, installProvider, type Outcome, run, type Service, serve, skipWithout } from '../kit/clients.ts'

/** What an apply did, by the numbers that Terraform gives at its end. */
export interface Changes {
  readonly imported: number
  readonly added: number
  readonly changed: number
  readonly destroyed: number
}

/** Values of the variables of a configuration. */
export type Values = Readonly<Record<string, unknown>>

export const nothing: Changes = { imported: 0, added: 0, changed: 0, destroyed: 0 }

/** Asks more often than usual, as there is nobody to be spared, and asks nobody else, whatever a configuration has. */
export const settings = (endpoint: string) => `terraform {
  required_providers {
    hcloud = { source = "hetznercloud/hcloud" }
  }
}

provider "hcloud" {
  poll_interval    = "20ms"
  endpoint         = "${endpoint}"
  endpoint_hetzner = "${storageUrlOf(endpoint)}"
}
`

// ---- One folder ----------------------------------------------------------------------------------------------------

/** A folder in which Terraform runs. */
export class Workspace {
  readonly #terraform: string
  readonly #folder: string
  readonly #env: Readonly<Record<string, string>>

  constructor(terraform: string, folder: string, env: Readonly<Record<string, string>>) {
    this.#terraform = terraform
    this.#folder = folder
    this.#env = env
    mkdirSync(folder)
    this.write('settings.tf', settings(env.HCLOUD_ENDPOINT ?? ''))
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text)
  }

  /** Takes a configuration of the folder beside this file. */
  take(configuration: string): void {
    const source = join(import.meta.dirname, 'configurations', `${configuration}.tf`)
    copyFileSync(source, join(this.#folder, 'main.tf'))
  }

  set(values: Values): void {
    this.write('terraform.tfvars.json', JSON.stringify(values))
  }

  #run(command: string, ...args: string[]): Promise<Outcome> {
    const all = [command, '-no-color', '-input=false', ...args]
    return run(this.#terraform, all, { env: this.#env, cwd: this.#folder })
  }

  async #works(command: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(command, ...args)
    assert.equal(code, 0, `terraform ${command}: ${stdout}${stderr}`)
    return stdout
  }

  async apply(): Promise<Changes> {
    return changesIn(await this.#works('apply', '-auto-approve'))
  }

  /** Applies what must fail, and gives what Terraform says about it, on one line. */
  async applyFails(): Promise<string> {
    const { code, stdout, stderr } = await this.#run('apply', '-auto-approve')
    assert.equal(code, 1, stdout)
    return stderr.replaceAll(/[│\s]+/g, ' ')
  }

  async destroy(): Promise<Changes> {
    return changesIn(await this.#works('destroy', '-auto-approve'))
  }

  /** With -detailed-exitcode, a plan that would change something exits with 2. */
  async planIsEmpty(): Promise<void> {
    await this.#works('plan', '-detailed-exitcode')
  }

  /** What the data sources of the configuration have found is what it expects. */
  foundIsExpected(): void {
    const { found, expected } = this.outputs()
    assert.deepEqual(found, expected)
  }

  outputs(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(this.#state().outputs).map(([name, { value }]) => [name, value]))
  }

  /** Forgets all resources and imports them as if others had made them. */
  async importAll(): Promise<Changes> {
    this.write('imports.tf', importsOf(this.#state()))
    rmSync(join(this.#folder, 'terraform.tfstate'))
    const changes = await this.apply()
    rmSync(join(this.#folder, 'imports.tf'))
    return changes
  }

  #state(): State {
    return JSON.parse(readFileSync(join(this.#folder, 'terraform.tfstate'), 'utf8')) as State
  }
}

function changesIn(output: string): Changes {
  const [summary = ''] = /^(Apply|Destroy) complete! Resources: .*$/m.exec(output) ?? []
  const found = [...summary.matchAll(/(\d+) (imported|added|changed|destroyed)/g)]
  return { ...nothing, ...Object.fromEntries(found.map(([, count, what]) => [what, Number(count)])) }
}

interface State {
  readonly outputs: Readonly<Record<string, { readonly value: unknown }>>
  readonly resources: readonly {
    readonly mode: string
    readonly type: string
    readonly name: string
    readonly instances: readonly {
      readonly index_key?: unknown
      readonly attributes: Readonly<Record<string, unknown>>
    }[]
  }[]
}

/** An import block for each resource. */
function importsOf({ resources }: State): string {
  const managed = resources.filter(({ mode }) => mode === 'managed')
  const blocks = managed.flatMap(({ type, name, instances }) =>
    instances.map(({ index_key: key, attributes }) => {
      const address = `${type}.${name}${key === undefined ? '' : `[${JSON.stringify(key)}]`}`
      return `import {\n  to = ${address}\n  id = "${importIdOf(type, attributes)}"\n}\n`
    }),
  )
  return blocks.join('\n')
}

/** What a resource is imported by, which is nearly always its id. */
function importIdOf(type: string, attributes: Readonly<Record<string, unknown>>): unknown {
  if (type === 'hcloud_firewall_attachment') return attributes.firewall_id
  // A part of another resource whose id is a number says of which one.
  const whole = attributes[`${type.replaceAll(/^hcloud_|_[a-z]+$/g, '')}_id`]
  if (whole !== undefined && typeof attributes.id === 'number') return `${whole}/${attributes.id}`
  if (type !== 'hcloud_load_balancer_target') return attributes.id
  const { load_balancer_id: balancer, type: kind, server_id, label_selector, ip } = attributes
  return [balancer, kind, server_id ?? label_selector ?? ip].join('__')
}

// ---- One server ----------------------------------------------------------------------------------------------------

/** A server with folders whose Terraform talks to it. */
export interface Cloud<Of = Service> {
  open(name: string): Workspace
  readonly service: Of
  /** In which Terraform runs: with the built provider, and without asking what is new. */
  readonly env: Readonly<Record<string, string>>
}

const terraform = findProgram('terraform')
const provider = await installProvider()

/** Declares tests that share a server with these options, and one more: that they leave nothing on it. */
export function describeTerraform(
  title: string,
  declare: (cloud: () => Cloud) => void,
  options: readonly string[] = [],
): void {
  describe(title, () => {
    if (!terraform || !provider) {
      it('is driven by the client', (t) => skipWithout(t, 'Terraform, or Go to build its provider, is not installed'))
      return
    }
    let cloud: Cloud
    let there: Readonly<Record<string, number>>
    before(async () => {
      cloud = openCloud(terraform, provider, await serve('sqlite', options))
      there = await countResources(cloud.service)
    })
    after(() => cloud.service.stop())
    // One waits for its server while another one thinks.
    describe('configurations', { concurrency: 2 }, () => declare(() => cloud))
    it('leaves nothing behind', async () => assert.deepEqual(await countResources(cloud.service), there))
  })
}

/** A place for folders whose Terraform talks to the API at the service's endpoint. */
export function openCloud<Of extends Pick<Service, 'folder' | 'env'>>(
  terraform: string,
  provider: string,
  service: Of,
): Cloud<Of> {
  const settings = join(service.folder, 'terraform.rc')
  // The provider comes from its folder; the registry is never asked.
  const override = `dev_overrides { "hetznercloud/hcloud" = "${provider}" }`
  writeFileSync(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`)
  const env = { ...service.env, TF_CLI_CONFIG_FILE: settings, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' }
  return { service, env, open: (name) => new Workspace(terraform, join(service.folder, name), env) }
}

/** How many resources there are of every kind that can be deleted. */
async function countResources({ env }: Service): Promise<Readonly<Record<string, number>>> {
  const deletions = allEndpoints().filter(({ endpoint }) => endpoint.method === 'DELETE')
  const kinds = deletions.flatMap(({ endpoint }) => /^\/(\w+)\/\{\w+\}$/.exec(endpoint.path)?.[1] ?? [])
  const headers = { authorization: `Bearer ${env.HCLOUD_TOKEN}` }
  const count = async (kind: string) => {
    const reply = await fetch(`${env.HCLOUD_ENDPOINT}/${kind}?per_page=1`, { headers })
    const { meta } = (await reply.json()) as { meta: { pagination: { total_entries: number } } }
    return [kind, meta.pagination.total_entries] as const
  }
  return Object.fromEntries(await Promise.all(kinds.map(count)))
}

// ---- One life ------------------------------------------------------------------------------------------------------

export interface Life {
  /** Values of the variables before and after the change. */
  readonly before: Values
  readonly after: Values
  /** What the change does. */
  readonly change: Partial<Changes>
  /** What importing has to write, since no reply shows it; `never` for what the provider cannot import. */
  readonly importing?: Partial<Changes> | 'never'
}

/** Applies a configuration, imports what it made, changes and destroys it; in between there is nothing left to do. */
export async function leads(workspace: Workspace, life: Life): Promise<void> {
  const { change, importing = {} } = life
  workspace.set(life.before)
  const { added, ...others } = await workspace.apply()
  assert.deepEqual(others, { imported: 0, changed: 0, destroyed: 0 })
  await workspace.planIsEmpty()
  workspace.foundIsExpected()
  if (importing !== 'never') {
    assert.deepEqual(await workspace.importAll(), { ...nothing, imported: added, ...importing })
    await workspace.planIsEmpty()
  }
  workspace.set(life.after)
  assert.deepEqual(await workspace.apply(), { ...nothing, ...change })
  await workspace.planIsEmpty()
  workspace.foundIsExpected()
  const expected = added + (change.added ?? 0) - (change.destroyed ?? 0)
  assert.deepEqual(await workspace.destroy(), { ...nothing, destroyed: expected })
}
