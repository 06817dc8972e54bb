/** docs/testing.md, followed to the letter. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, it } from 'node:test'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'
import { run } from '../kit/clients.ts'
import { readPage } from '../kit/page.ts'

before(build)

it('starts a server of its own, whatever an earlier run has left in the folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-testing-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // No process has this number.
  writeFileSync(join(folder, 'ready.json'), JSON.stringify({ base_url: 'http://127.0.0.1:1/v1', pid: 2 ** 30 }))
  const asks =
    "fetch(process.env.HCLOUD_ENDPOINT + '/servers', { headers: { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN } })"
  const [block] = readPage('docs/testing.md').blocksOf('sh')
  const script = block!.text
    .replace(
      'npx wolke serve',
      `'${process.execPath}' '${bundle}' serve --dns-listen 127.0.0.1:0 --metadata-listen 127.0.0.1:0`,
    )
    .replace('terraform apply -auto-approve', `node -e "${asks}.then(({ status }) => console.log(status))"`)
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, TMPDIR: folder }
  // Whatever becomes of the commands, the server in the background does not outlive them.
  const ends = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT"
  const { code, stdout, stderr } = await run('bash', ['-ec', `${ends}\n${script}`], { cwd: folder, env })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^200$/m)
})
