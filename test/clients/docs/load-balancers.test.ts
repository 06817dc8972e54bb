/** docs/load-balancer-tutorial.md, followed to the letter in one shell, with what it says its commands print. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { findProgram, run, serve, skipWithout } from '../kit/clients.ts'
import { firstCommand, readPage, settingsFor } from '../kit/page.ts'

const page = readPage('docs/load-balancer-tutorial.md')
const marker = '-- what the next step prints --'

it('the tutorial of Load Balancers goes as its page says', async (t) => {
  const missing = ['hcloud', 'curl', 'python3'].filter((name) => !findProgram(name))
  if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} is missing`)
  const [start, variables, ...steps] = page.blocksOf('sh')
  assert.ok(start!.text.startsWith(`${firstCommand} -- `), 'the page starts a server like the README, with options')
  const options = start!.text.slice(`${firstCommand} -- `.length).trim().split(' ')
  const service = await serve('sqlite', options)
  t.after(() => service.stop())
  const cwd = join(service.folder, 'tutorial')
  mkdirSync(cwd)
  const script = [
    'set -e',
    "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT",
    settingsFor(variables!, service.env),
    ...steps.map(({ text }) => `echo '${marker}'\n${text}`),
  ].join('\n')
  const { code, stdout, stderr } = await run('bash', ['-c', script], { cwd, env: { HOME: service.folder } })
  assert.equal(code, 0, `${stdout}${stderr}`)
  const printed = stdout.split(`${marker}\n`).slice(1)
  assert.equal(printed.length, steps.length)
  for (const [index, step] of steps.entries()) {
    const said = page.printedBy(step)
    assert.ok(printed[index]!.includes(said), `${step.text}\nprints not\n${said}\nbut:\n${printed[index]}${stderr}`)
  }
})
