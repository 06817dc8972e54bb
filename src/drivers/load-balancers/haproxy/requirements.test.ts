/** What a machine is told that lacks something. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { skipsHaproxy } from '../../../../test/stubs/haproxy.ts'
import { checkRequirements } from './requirements.ts'

/** A program that says to be HAProxy of some version. */
function programOf(t: TestContext, version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-lb-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'haproxy')
  writeFileSync(program, `#!/bin/sh\necho 'HAProxy version ${version}'\necho '+OPENSSL +PCRE2'\n`, { mode: 0o755 })
  return program
}

describe('What HAProxy needs', { skip: skipsHaproxy }, () => {
  test('is a version whose master says what it does', async (t) => {
    for (const version of ['2.6.0', '2.10.1', '3.0.5']) await checkRequirements(programOf(t, version))
    for (const version of ['1.9.0', '2.4.22', '2.5.14']) {
      await assert.rejects(
        checkRequirements(programOf(t, version)),
        /^Error: Load Balancers need HAProxy 2\.6 or newer/,
      )
    }
  })

  test('is every capability, and those that are missing are named', () => {
    const source = new URL('./requirements.ts', import.meta.url).href
    const script = `
      const { checkRequirements } = await import(${JSON.stringify(source)})
      await checkRequirements('haproxy').catch((error) => process.stdout.write(error.message))`
    const without = ['sys_chroot', 'net_bind_service', 'setuid', 'setgid'].map((name) => `-${name}`).join(',')
    const lessened = ['--inh-caps', without, '--bounding-set', without, process.execPath]
    const { stdout } = spawnSync('setpriv', [...lessened, '--input-type=module', '-e', script], { encoding: 'utf8' })
    assert.match(stdout, /need root, or capabilities of which .* lacks SETGID, SETUID, NET_BIND_SERVICE, SYS_CHROOT$/)
  })
})
