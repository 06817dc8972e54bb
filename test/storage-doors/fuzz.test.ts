/**
 * Hostile clients with commands and requests of WebDAV, while another one swaps what they walk over: nobody reads or writes
 * outside of his home, and who may only read changes nothing in it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../../src/drivers/storage/doors/ssh/commands/table.ts'
import { wordsOf } from '../../src/drivers/storage/doors/ssh/commands/words.ts'
import { isLong } from '../run/long.ts'
import { digestOf } from '../storage/store/kit/trees.ts'
import { missing } from './kit/doors.ts'
import { asker, known, shellOn, someLines, someRequests, swapBeside, trap } from './kit/hostile.ts'

const skip = missing('ssh-keygen')
const count = isLong ? 10_000 : 2_000
const together = 20

/** What a program throws that goes wrong itself. */
const faults = [TypeError, RangeError, ReferenceError, SyntaxError]

/** Runs a command as the door does; returns whether it succeeded. */
async function run(shell: Parameters<(typeof commands)[string]>[0], line: string): Promise<boolean> {
  try {
    const [own = '', ...words] = wordsOf(line)
    return (await commands[own]!(shell, words)) === 0
  } catch (error) {
    const isFault = faults.some((kind) => error instanceof kind)
    assert.ok(error instanceof Error && !isFault, `${line}: ${(error as Error).stack}`)
    return false
  }
}

/** Does all, some at a time, each time with all links in their places. */
async function inTurns<T>(all: readonly T[], link: () => void, work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += together) {
    link()
    await Promise.all(all.slice(at, at + together).map(work))
  }
}

test(`${count} commands reach nothing outside`, { skip }, async (t) => {
  const { guest, parts, outside, link, targets, open } = await trap(t)
  const [owner, files] = [await open('u1'), await open(guest.username)]
  const before = outside()
  const heard: string[] = []
  const shell = shellOn(files, heard)
  let answered = 0
  await using beside = swapBeside(owner, targets)
  await inTurns(someLines(parts, count), link, async (line) => {
    if (await run(shell, line)) answered++
    assert.doesNotMatch(heard.splice(0).join(''), known, line)
  })
  assert.ok(files.isOpen && answered > count / 100 && beside.rounds() > 20, `${answered} of ${beside.rounds()}`)
  assert.deepEqual(outside(), before)
  // Whoever may see it would be heard.
  await run(shellOn(owner, heard), 'cat private')
  assert.match(heard.join(''), known)
  t.diagnostic(`${answered} were answered, links were swapped ${beside.rounds()} times`)
})

test(`${count} requests of WebDAV reach nothing outside`, { skip }, async (t) => {
  const { fixture, guest, parts, outside, link, targets, open } = await trap(t)
  const ask = asker(t, fixture.webdavPort, guest.username)
  const before = outside()
  let done = 0
  await using beside = swapBeside(await open('u1'), targets)
  await inTurns(someRequests(parts, count), link, async (asked) => {
    const { status, body } = await ask(asked)
    assert.ok(status < 600 && status !== 500, `${asked}: ${status}`)
    assert.doesNotMatch(body, known, `${asked}`)
    if (status >= 200 && status < 300) done++
  })
  assert.ok(done > count / 100 && beside.rounds() > 20, `${done} of ${beside.rounds()}`)
  assert.deepEqual(outside(), before)
  assert.match((await asker(t, fixture.webdavPort, 'u1')(['GET', '/private', ''])).body, known)
  t.diagnostic(`${done} were done, links were swapped ${beside.rounds()} times`)
})

test(`${count} commands and requests of a readonly account write nothing`, { skip }, async (t) => {
  const { fixture, box, guest, parts, outside, link, open } = await trap(t, true)
  const files = await open(guest.username)
  const ask = asker(t, fixture.webdavPort, guest.username)
  link()
  const [before, tree] = [outside(), await digestOf(box.files)]
  const shell = shellOn(files, [])
  let [read, refused] = [0, 0]
  const nothing = () => undefined
  await inTurns(someLines(parts, count), nothing, async (line) => {
    if (await run(shell, line)) read++
  })
  await inTurns(someRequests(parts, count), nothing, async (asked) => {
    if ((await ask(asked)).status === 403) refused++
  })
  assert.ok(read > count / 100 && refused > count / 100, `${read} were read, ${refused} were refused`)
  assert.equal(await digestOf(box.files), tree)
  assert.deepEqual(outside(), before)
})
