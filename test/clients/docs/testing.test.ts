/** docs/testing.md, followed to the letter: each of its examples is run, in their order and in one folder. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { parse } from 'yaml'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'
import {
  findProgram,
  installGoModules,
  installHcloud,
  installProvider,
  installPytest,
  run,
  skipWithout,
} from '../kit/clients.ts'
import { findJava } from '../kit/java.ts'
import { mirror } from '../kit/mirror.ts'
import { type Block, readPage } from '../kit/page.ts'

const root = join(import.meta.dirname, '../../..')
const goModule = join(root, 'test/lab/use/go')
const whole = mkdtempSync(join(tmpdir(), 'wolke-testing-'))
const [folder, programs, temporary] = ['work', 'programs', 'tmp'].map((name) => join(whole, name)) as [
  string,
  string,
  string,
]
const page = readPage('docs/testing.md')

/** What is missing on this machine, or the environment of somebody who has installed everything. */
let setting: { missing: string } | { env: Record<string, string> }

before(async () => {
  await build()
  const provider = await installProvider()
  const hcloud = await installHcloud('new')
  if (!findProgram('terraform') || !provider || !hcloud) {
    setting = { missing: 'Terraform, Go to build its provider, or hcloud is missing' }
    return
  }
  for (const one of [folder, programs, temporary]) mkdirSync(one)
  program(
    'npx',
    `[ "$1" = --no-install ] && shift\n[ "$1" = wolke ] || exit 99\nshift\nexec '${process.execPath}' '${bundle}' "$@"`,
  )
  program('npm', '[ "$1" = ci ] || exit 99')
  symlinkSync(hcloud.program, join(programs, 'hcloud'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/wolke'))
  const env = {
    ...{ PATH: [programs, dirname(process.execPath), process.env.PATH].join(':'), HOME: folder, TMPDIR: temporary },
    ...{
      TF_CLI_CONFIG_FILE: mirror(folder, provider, basename(provider).replace(/.*-v/, '')),
      TF_CLI_ARGS: '-no-color',
    },
    ...{ CHECKPOINT_DISABLE: '1', WOLKE_DNS_LISTEN: '127.0.0.1:0', WOLKE_METADATA_LISTEN: '127.0.0.1:0' },
  }
  setting = { env }
})

after(() => rmSync(whole, { recursive: true }))

/** A program for the shell, which stands for one that a machine has. */
function program(name: string, text: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

type Env = Record<string, string>

/** Whatever becomes of commands, what they have started in the background does not outlive them. */
const ends = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT"

async function shell(script: string, env: Env): Promise<string> {
  const { code, stdout, stderr } = await run('bash', ['-ec', `${ends}\n${script}`], { cwd: folder, env })
  assert.equal(code, 0, `${script}\n${stdout}${stderr}`)
  return stdout + stderr
}

/** Runs tests of a file; returns what was printed. */
async function works(words: readonly string[], { env, cwd = folder }: { env: Env; cwd?: string }): Promise<string> {
  const [file, ...args] = words as [string, ...string[]]
  const { code, stdout, stderr } = await run(file, args, { cwd, env })
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

/** What is done with a block, by its language. */
const follow: Record<string, (text: string, env: Env, t: TestContext) => unknown> = {
  hcl: (text) => writeFileSync(join(folder, 'main.tf'), text),
  sh: shell,
  async js(text, env) {
    writeFileSync(join(folder, 'suite.test.mjs'), text)
    assert.match(await works(['node', '--test', 'suite.test.mjs'], { env }), /^ℹ pass 3$/m)
  },
  async python(text, env, t) {
    const python = await installPytest()
    if (!python) return skipWithout(t, 'pytest cannot be installed')
    writeFileSync(join(folder, 'test_suite.py'), text)
    const words = [python, '-B', '-m', 'pytest', '-q', '-p', 'pytest_wolke', '-p', 'no:cacheprovider', 'test_suite.py']
    const found = { ...env, PYTHONPATH: join(folder, 'node_modules/wolke/clients/python') }
    assert.match(await works(words, { env: found }), /^1 passed in /m)
  },
  async go(text, env, t) {
    const go = await installGoModules(goModule)
    if (!go) return skipWithout(t, 'Go is not installed')
    const cwd = join(folder, 'go')
    mkdirSync(cwd)
    const module = readFileSync(join(goModule, 'go.mod'), 'utf8').replaceAll(/\S+\/clients\/go/g, `${root}/clients/go`)
    writeFileSync(join(cwd, 'go.mod'), module)
    copyFileSync(join(goModule, 'go.sum'), join(cwd, 'go.sum'))
    writeFileSync(join(cwd, 'suite_test.go'), text)
    const its = { HOME: process.env.HOME ?? '', GOFLAGS: '-mod=readonly' }
    assert.match(await works([go, 'test', '-v', '.'], { env: { ...env, ...its }, cwd }), /^--- PASS: TestFirewalls/m)
  },
  async java(text, env, t) {
    const java = findJava()
    if (!java) return skipWithout(t, 'Java or JUnit is not installed')
    const file = join(folder, 'SuiteTest.java')
    writeFileSync(file, text)
    const { code, stderr } = await java.compile(file, join(folder, 'classes'))
    assert.equal(code, 0, stderr)
    assert.match(
      await works(java.command('SuiteTest', join(folder, 'classes')), { env }),
      /^\[ +1 tests successful +\]$/m,
    )
  },
  async yaml(text, env) {
    const { steps } = parse(text).jobs.infrastructure as { steps: { run?: string; uses?: string }[] }
    for (const { run, uses } of steps) {
      if (run === undefined) assert.match(uses!, /^[\w-]+\/[\w-]+@v\d+$/)
      else await shell(run, env)
    }
  },
  async json(text, env) {
    const { command, args } = JSON.parse(text).mcpServers.wolke as { command: string; args: string[] }
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ command: join(programs, command), args, env, cwd: folder }))
    const { content } = await client.callTool({ name: 'start_cloud', arguments: {} })
    await client.close()
    assert.match((content as { text: string }[])[0]!.text, /"cloud": "cloud-1"/)
  },
}

const nameOf = ({ language, text }: Block) => `${language}: ${text.trim().split('\n').at(-1)}`

describe('docs/testing.md', () => {
  for (const block of page.blocks) {
    it(nameOf(block), async (t) => {
      if ('missing' in setting) return skipWithout(t, setting.missing)
      const followed = follow[block.language]
      assert.ok(followed, `nobody can run ${block.language}`)
      await followed(block.text, setting.env, t)
    })
  }

  it('says what the options of wolke exec are', async (t) => {
    if ('missing' in setting) return skipWithout(t, setting.missing)
    const help = await shell('npx wolke exec --help', setting.env)
    const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option!)
    assert.ok(options.includes('--future'))
    assert.deepEqual(
      options.filter((option) => !page.text.includes(`\`${option}`) && !page.text.includes(`${option} `)),
      [],
    )
  })

  it('has a composite action that does the same', async (t) => {
    if ('missing' in setting) return skipWithout(t, setting.missing)
    const { inputs, runs } = parse(readFileSync(join(root, 'action/action.yml'), 'utf8'))
    const step = runs.steps.at(-1) as { run: string; env: Env }
    const named = Object.values(step.env).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)![1]!)
    assert.deepEqual(Object.keys(inputs).sort(), [...named, 'working-directory'].sort())
    const workspace = join(folder, 'workspace/node_modules/.bin')
    mkdirSync(workspace, { recursive: true })
    const wolke = `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`
    writeFileSync(join(workspace, 'wolke'), wolke, { mode: 0o755 })
    const given = {
      INPUT_RUN: 'hcloud network list -o json\necho "now $WOLKE_URL"',
      INPUT_OPTIONS: '--now 2027-05-01 --proxy',
    }
    const env = { ...setting.env, ...given, INPUT_PACKAGE: '', GITHUB_WORKSPACE: join(folder, 'workspace') }
    assert.match(await shell(step.run, env), /now http:\/\/127\.0\.0\.1:\d+\/wolke\/v1\n/)
    const failing = { ...env, INPUT_RUN: 'false\necho "went on"' }
    const { code, stdout } = await run('bash', ['-e', '-c', step.run], { cwd: folder, env: failing })
    assert.deepEqual([code, stdout], [1, ''])
    // npm is asked for a package that is named.
    program(
      'npm',
      `mkdir -p "$4/node_modules/.bin" && cp '${join(workspace, 'wolke')}' "$4/node_modules/.bin/" && echo "$@"`,
    )
    const other = { ...env, INPUT_PACKAGE: 'wolke@0.1.0', RUNNER_TEMP: folder, GITHUB_WORKSPACE: '/nowhere' }
    const said = await shell(step.run, other)
    assert.match(said, /^install --no-save --prefix \S+\/wolke wolke@0\.1\.0$/m)
    assert.match(said, /^now http/m)
  })
})
