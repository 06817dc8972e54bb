/** A program of somebody else that uses the library, compiled and run against the package. */
import { startWolke, type Wolke, type WolkeClockMode, WolkeError, type WolkeEvent, type WolkeOptions } from 'wolke'

const options: WolkeOptions = { now: '2027-03-31T00:00:00Z', clock: 'frozen', limits: { firewalls: 3 } }
await using cloud = await startWolke(options)

const headers = { authorization: `Bearer ${cloud.token}`, 'content-type': 'application/json' }

async function make(at: Wolke, name: string): Promise<void> {
  await at.fetch(`${at.url}/firewalls`, { method: 'POST', headers, body: JSON.stringify({ name }) })
}

async function names(at: Wolke): Promise<string[]> {
  const reply: Response = await at.fetch(new URL(`${at.url}/firewalls`), { headers })
  const { firewalls } = (await reply.json()) as { firewalls: { name: string }[] }
  return firewalls.map(({ name }) => name)
}

await make(cloud, 'web')
await cloud.snapshot('begun')
await using fork = await cloud.fork({ ttl: '10m', dns: true })
await make(fork, 'fork')

const mode: WolkeClockMode = await cloud.clock.mode()
const [next]: WolkeEvent[] = await cloud.clock.events(1)
if (mode !== 'frozen' || !next || next.time < (await cloud.clock.now())) throw new Error('the clock is wrong')
const time: Date = await cloud.clock.advance('1d')

let code: string | undefined
try {
  await cloud.restore('never')
} catch (error) {
  if (error instanceof WolkeError) code = error.code
}
await cloud.restore('begun')

// @ts-expect-error: clocks do not go back
void (startWolke satisfies (given: { clock: 'backwards' }) => unknown)

const day = time.toISOString().slice(0, 10)
console.log(JSON.stringify({ names: await names(cloud), inFork: await names(fork), code, day }))
