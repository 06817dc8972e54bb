/** docs/tokens.md, followed to the letter, and the hcloud command line with tokens that are limited. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { families } from '../../../src/families.ts'
import type { Need } from '../../../src/kernel/access/roles.ts'
import { commandOf, familyOf, generalVerbs, verbOf } from '../../../src/kernel/access/token-scope.ts'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { grantedFamilies } from '../../../src/management/scopes.ts'
import { ownEndpoints } from '../../../src/pages/openapi.ts'
import { bundle } from '../../program/kit/program.ts'
import { deletes, type Hcloud, leavesNothing, makesServer, type Step, type Story, tells } from '../hcloud/hcloud.ts'
import { findProgram, run, type Service, serve, skipWithout } from '../kit/clients.ts'
import { readPage } from '../kit/page.ts'

const page = readPage('docs/tokens.md')

/** Makes a token with the command of the operator, also while the server keeps its data in memory. */
async function makeToken({ folder, env }: Service, ...options: readonly string[]): Promise<string> {
  const { port } = new URL(env.HCLOUD_ENDPOINT!)
  const file = join(folder, 'wolke.db')
  const database = existsSync(file) ? `sqlite:${file}` : `memory:${port}`
  const args = [bundle, 'token', 'create', '--database', database, ...options]
  const { code, stdout, stderr } = await run(process.execPath, args, { env: { TMPDIR: folder } })
  assert.equal(code, 0, stderr)
  return stdout.trim()
}

// ---- The page ------------------------------------------------------------------------------------------------------

it('the commands of the page do what it says', async (t) => {
  if (!findProgram('curl') || !findProgram('jq')) return skipWithout(t, 'curl or jq is missing')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const token = await makeToken(service, '--management', '--name', 'automation')
  const origin = new URL(service.env.HCLOUD_ENDPOINT!).origin
  const text = page.blocksOf('sh').map((block) => block.text)
  const script = text.join('\n').replace('http://127.0.0.1:8080', origin).replace('<token>', token)
  const { code, stdout, stderr } = await run('bash', ['-c', `set -eo pipefail\n${script}`])
  assert.equal(code, 0, stdout + stderr)
  assert.match(stdout, /"kind": "management"/)
  assert.match(stdout, /"label_selector": "env=test"/)
  assert.match(stdout, /^wlk_\w{60}$/m)
})

it('the page has every family, every command, every verb and every endpoint', () => {
  const operations = families.flatMap(({ endpoints }) => Object.values(endpoints))
  for (const family of grantedFamilies) {
    const commands = operations.filter((one) => familyOf(one) === family).flatMap((one) => commandOf(one) ?? [])
    const list = [...new Set(commands)].sort().map((command) => `\`${command}\``)
    assert.ok(page.text.includes(`| \`${family}\` | ${list.join(', ') || 'none'} |\n`), family)
  }
  for (const verb of generalVerbs) assert.ok(page.text.includes(`| \`${verb}\` |`), verb)
  const forPrograms = ownEndpoints().filter(({ endpoint }) => endpoint.needs !== 'person')
  const rows = forPrograms.map(({ endpoint: { method, path, needs, elevated } }) => {
    return `${method} ${path} | ${callers[needs]} |${elevated ? ' yes' : ''}`
  })
  const named = page.text.matchAll(/^\| `([A-Z]+ \/[^`]*)` (\| [a-z]+ \|(?: yes)?) \| ./gm)
  assert.deepEqual([...named].map(([, operation, rest]) => `${operation} ${rest}`).sort(), rows.sort())
  const ofAccounts = ownEndpoints().filter(({ endpoint }) => endpoint.needs === 'person')
  for (const { endpoint } of ofAccounts) assert.match(endpoint.path, /^\/account/)
})

/** What the page calls those whom an endpoint is for. */
const callers: Readonly<Record<string, string>> = {
  anyone: 'everybody',
  viewer: 'viewers',
  restricted: 'restricted',
  admin: 'admins',
  owner: 'owners',
  operator: 'operators',
}

it('the page on people has what each role may do, family by family', () => {
  const operations = families.flatMap(({ endpoints }): Endpoint[] => Object.values(endpoints))
  const writing = operations.filter(({ method }) => method !== 'GET')
  const granted = (family: string, needs: Need) => {
    const some = writing.filter((one) => familyOf(one) === family && one.needs === needs)
    const general = generalVerbs.filter((verb) => some.some((one) => !commandOf(one) && verbOf(one) === verb))
    const commands = [...new Set(some.flatMap((one) => commandOf(one) ?? []))].sort()
    return [...general, ...commands.map((command) => `\`${command}\``)].join(', ')
  }
  const rows = [...new Set(writing.map(familyOf))].sort().map((family) => {
    const cells = [`\`${family}\``, granted(family, 'restricted'), granted(family, 'member')]
    return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
  })
  const known = new Set(['restricted', 'member'])
  assert.ok(writing.every(({ needs }) => known.has(needs)))
  const text = readPage('docs/people.md').text
  const shown = text.split('| family | Restricted | Member also |\n|---|---|---|\n')[1]!.split('\n\n')[0]
  assert.equal(shown, rows.join('\n'))
})

// ---- hcloud --------------------------------------------------------------------------------------------------------

/** Carries out steps with a token that is limited by these options. */
function limitedTo(options: readonly string[], ...steps: readonly Step[]): Step {
  return async (hcloud: Hcloud) => {
    const token = await makeToken(hcloud.service, '--project', 'default', ...options)
    const limited: Hcloud = { ...hcloud, run: (line, env) => hcloud.run(line, { HCLOUD_TOKEN: token, ...env }) }
    for (const step of steps) await step(limited)
  }
}

const says =
  (line: string, code: number, ...expected: readonly RegExp[]): Step =>
  async (hcloud) => {
    const outcome = await hcloud.run(line)
    assert.equal(outcome.code, code, `${line}\n${outcome.stdout}${outcome.stderr}`)
    for (const one of expected) assert.match(outcome.stdout + outcome.stderr, one, line)
  }

const onlyServers = ['--families', 'servers', '--label-selector', 'env=test']
const toMake = ['--families', 'servers,server_types,images,locations', '--label-selector', 'env=test']

const limited: Story = {
  title: 'a token that is limited to a family and to labels sees only what it may',
  steps: [
    makesServer('seen', '--label env=test'),
    makesServer('hidden', '--label env=prod'),
    limitedTo(
      onlyServers,
      async (hcloud) => {
        const { stdout } = await hcloud.run('server list -o noheader -o columns=name')
        assert.deepEqual(stdout.trim().split('\n'), ['seen'])
      },
      says('server describe seen', 0, /seen/),
      says('server describe hidden', 1, /server not found: hidden/i),
      says('server reboot seen', 0),
      says('server reboot hidden', 1, /server not found: hidden/i),
      says(
        'server add-label --overwrite seen env=prod',
        1,
        /only sees resources with the labels env=test.*\(forbidden/s,
      ),
      says('server add-label seen tier=1', 0),
      says('volume list', 1, /this token has no access to volumes, only to servers \(forbidden/),
    ),
    limitedTo(
      ['--families', 'servers', '--verbs', 'read,reboot'],
      says('server reboot hidden', 0),
      says('server poweroff hidden', 1, /may not poweroff servers, only read, reboot \(forbidden/),
    ),
    limitedTo(
      toMake,
      says('server create --name new --type cpx22 --image debian-12 --location hel1', 1, /env=test.*\(forbidden/s),
      makesServer('new', '--label env=test'),
      deletes('server', 'new', 'seen'),
    ),
    deletes('server', 'hidden'),
  ],
}

await tells(import.meta.filename, [limited, leavesNothing('server')])
