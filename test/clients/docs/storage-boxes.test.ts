/** The first backup of docs/storage-boxes.md, followed to the letter in one shell, with what its commands print. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { missing } from '../../storage-doors/kit/doors.ts'
import { run, serve } from '../kit/clients.ts'
import { firstCommand, readPage, settingsFor } from '../kit/page.ts'

const page = readPage('docs/storage-boxes.md')
const [, title = '', tutorial = ''] = /^## (A first backup .*?)\n(.*?)^## /ms.exec(page.text) ?? []
const door = '127.0.0.1:2323'
const marker = '-- what the next step prints --'

const skip = missing('curl', 'jq', 'borg', 'restic', 'ssh', 'ssh-keygen', 'openssl')

it('the first backup goes as its page says', { skip }, async (t) => {
  const [start, variables, ...steps] = page.blocksOf('sh').filter(({ text }) => tutorial.includes(text))
  assert.ok(start!.text.startsWith(`${firstCommand} -- `), `'${title}' starts a server like the README, with options`)
  const options = start!.text.slice(`${firstCommand} -- `.length).trim()
  assert.equal(options, `--storage-ssh ${door}`)
  const service = await serve('sqlite', ['--storage-ssh', '127.0.0.1:0'])
  t.after(() => service.stop())
  const cwd = join(service.folder, 'first-backup')
  mkdirSync(cwd)
  const { storage_ssh: ssh } = JSON.parse(readFileSync(join(service.folder, 'ready.json'), 'utf8'))
  const script = [
    'set -e',
    settingsFor(variables!, service.env),
    ...steps.map(({ text }) => `echo '${marker}'\n${text.replace(/(?<=Port )2323/, ssh.split(':')[1])}`),
  ].join('\n')
  const { code, stdout, stderr } = await run('bash', ['-c', script], { cwd, env: { HOME: service.folder } })
  assert.equal(code, 0, `${stdout}${stderr}`)
  const printed = stdout.split(`${marker}\n`).slice(1)
  const said = steps.map((step) => (step === steps[0] ? '' : page.printedBy(step)))
  for (const [index, text] of said.entries()) assert.ok(printed[index]!.includes(text), `${text}\n${stdout}${stderr}`)
})
