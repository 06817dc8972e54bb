/** Starts and ends clouds in a process of its own, and prints what is left of them there. */
import { createHook } from 'node:async_hooks'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { startWolke } from '../../../src/library/library.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-left-'))
process.env.TMPDIR = folder

/** Timers, by where they come from. Those that keep no process alive are in no list of Node.js. */
const timers = new Map<number, string>()
createHook({
  init: (id, type) => void (type === 'Timeout' && timers.set(id, new Error().stack!)),
  destroy: (id) => void timers.delete(id),
}).enable()

/** Everything that this process has open, by what it is. */
const files = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      // The look into the folder had one of its own.
      return []
    }
  })
const listeners = () => process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`)
const resources = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
const environment = () => Object.entries(process.env).map(([name, value]) => `${name}=${value}`)

/** What is more in the second list than in the first one. */
function more(before: readonly string[], after: readonly string[]): string[] {
  const known = [...before]
  return after.filter((one) => {
    const at = known.indexOf(one)
    if (at === -1) return true
    known.splice(at, 1)
    return false
  })
}

async function use(): Promise<void> {
  await using cloud = await startWolke({ dns: true, metadata: true, actions: 'realistic' })
  await using silent = await startWolke({ listen: false })
  for (const one of [cloud, silent]) {
    const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'web' })
    await (await one.fetch(`${one.url}/firewalls`, { method: 'POST', headers, body })).text()
    // The fork ends with its cloud; the other one ends itself.
    await one.fork({ ttl: '1h' })
    await using fork = await one.fork({ dns: true })
    await fork.clock.advance('10m')
    await one.clock.advance('1h')
    await one.snapshot('state')
    await one.restore('state')
    await one.reset()
    await one.fetch(`${one.url}/firewalls`, { headers })
  }
}

// What is loaded and opened once for all clouds is not what each of them leaves.
await use()
global.gc?.()
const before = {
  resources: resources(),
  files: files(),
  listeners: listeners(),
  environment: environment(),
  temporary: readdirSync(folder),
}
const timersBefore = new Set(timers.keys())
await use()
// What was closed is told of in the next turns.
for (let turn = 0; turn < 10; turn++) await setImmediate()
const left = {
  resources: more(before.resources, resources()),
  // Servers of Node.js share one that keeps the date for less than a second.
  timers: [...timers].filter(([id, from]) => !timersBefore.has(id) && !from.includes('node:internal/http:')),
  files: more(before.files, files()),
  temporary: [...before.temporary, ...readdirSync(folder)],
  listeners: more(before.listeners, listeners()),
  changed: more(before.environment, environment()),
}
rmSync(folder, { recursive: true })
console.log(JSON.stringify(left))
