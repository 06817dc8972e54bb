import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const log = JSON.stringify(new URL('./log.ts', import.meta.url).href)

/** A process that logs and ends at once, as after a failure, when it is told to. */
function logger() {
  const program = `
    const { openLog } = await import(${log})
    const log = openLog('info')
    process.stdin.once('data', () => {
      log.info('the last line')
      process.exit(3)
    })
    process.stdout.write('ready')
  `
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })
}

test('the last lines before an exit are written', async () => {
  const child = logger()
  const lines = text(child.stderr)
  await once(child.stdout, 'data')
  child.stdin.end('go')
  assert.deepEqual(await once(child, 'exit'), [3, null])
  assert.match(await lines, /"msg":"the last line"/)
})

test('a process whose log nobody reads any more ends all the same', async () => {
  const child = logger()
  await once(child.stdout, 'data')
  child.stderr.destroy()
  child.stdin.end('go')
  assert.deepEqual(await once(child, 'exit'), [3, null])
})
