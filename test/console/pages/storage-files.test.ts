/** The files of Storage Boxes, which hold some here, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PassingStorage } from '../../../src/drivers/storage/open.ts'
import { simulate } from '../../../src/families.ts'
import { testClock } from '../../kit/harness.ts'
import { openBox, partsOf } from '../kit/boxes.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type ConsoleOptions, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, confirmByName, fill } from '../kit/keyboard.ts'

/** An installation whose boxes hold files, in a folder that goes with the test. */
async function withFiles(): Promise<ConsoleOptions & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-boxes-'))
  const log = { info: () => undefined, warn: () => undefined }
  const plan = { directory, isPassing: true, ssh: 'off', webdav: 'off', addressPool: [], log } as const
  const storage = await PassingStorage.open(plan)
  const clock = testClock()
  return {
    clock,
    simulation: simulate({ delayMs: 0, clock, beside: { files: storage.cloud() } }),
    async [Symbol.asyncDispose]() {
      await storage.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

forConsole('files of Storage Boxes in the console', (open) => {
  test('are uploaded, replaced, downloaded, moved and deleted, in folders that are made', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    const upload = (text: string) =>
      page
        .getByLabel('Upload files')
        .first()
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
    await act(page, 'New folder')
    await fill(page, 'Name', 'letters')
    await confirm(page, 'New folder in backups', 'Make the folder')
    await tabTo(page, 'link', 'letters/')
    await press(page, 'Enter')
    await expect(page.getByText('Nothing is in here')).toBeVisible()
    await upload('first')
    await expect(page.getByRole('link', { name: 'notes.txt' })).toBeVisible()
    await upload('second')
    await confirm(page, 'Replace 1 file?', 'Replace 1 file')
    await expect(page.getByText('Uploaded · 6 B')).toBeVisible()
    const waiting = page.waitForEvent('download')
    await tabTo(page, 'link', 'notes.txt')
    await press(page, 'Enter')
    const file = await waiting
    assert.equal(file.suggestedFilename(), 'notes.txt')
    assert.equal(readFileSync(await file.path(), 'utf8'), 'second')
    await choose(page, 'notes.txt', 'Rename or move')
    await fill(page, 'Path', 'read me.txt')
    await confirm(page, 'Rename or move notes.txt', 'Rename')
    await expect(page.getByText('Nothing is in here')).toBeVisible()
    await tabTo(page, 'link', 'backups')
    await press(page, 'Enter')
    await choose(page, 'read me.txt', 'Delete')
    await confirm(page, 'Delete read me.txt?', 'Delete the file')
    await expect(page.getByRole('link', { name: 'read me.txt' })).toHaveCount(0)
    await choose(page, 'letters', 'Delete')
    await confirmByName(page, 'letters')
    await expect(page.getByRole('link', { name: 'letters/' })).toHaveCount(0)
  })

  test('come in pieces when they are large, go on after a cut, and leave nothing when they are stopped', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    console.allow(/Failed to load resource/)
    const large = Buffer.alloc(12 * 1024 * 1024, 'large ')
    const upload = (name: string) =>
      page.getByLabel('Upload files').first().setInputFiles({ name, mimeType: 'text/plain', buffer: large })
    const pieces: string[] = []
    let isHeld = false
    await page.route(/\/files\/uploads\?/, async (route) => {
      const query = new URL(route.request().url()).searchParams
      if (route.request().method() === 'PUT') {
        pieces.push(query.get('offset')!)
        if (pieces.length === 2) return route.abort()
        if (isHeld && query.get('offset') !== '0') return
      }
      return route.continue()
    })
    await upload('large.txt')
    await expect(page.getByText('Uploaded · 12 MiB')).toBeVisible()
    const piece = 8 * 1024 * 1024
    // What was cut off is sent again, half of it at a time.
    assert.deepEqual(pieces.map(Number), [0, piece, piece, piece + piece / 4])
    const waiting = page.waitForEvent('download')
    await tabTo(page, 'link', 'large.txt')
    await press(page, 'Enter')
    assert.ok(readFileSync(await (await waiting).path()).equals(large))
    isHeld = true
    await upload('stopped.txt')
    await expect.poll(() => pieces.length).toBe(6)
    const removed = page.waitForResponse((reply) => reply.request().method() === 'DELETE')
    await act(page, 'Stop the upload of stopped.txt')
    assert.equal((await removed).status(), 204)
    await expect(page.getByText('Stopped · 12 MiB')).toBeVisible()
    await expect(page.getByRole('link', { name: 'stopped.txt' })).toHaveCount(0)
  })

  test('are sent once where a folder has their name', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    console.allow(/Failed to load resource/)
    await expect(page.getByRole('link', { name: 'team/' })).toBeVisible()
    const answered: number[] = []
    page.on('response', (reply) => {
      if (reply.request().method() === 'PUT') answered.push(reply.status())
    })
    const file = { name: 'team', mimeType: 'text/plain', buffer: Buffer.from('some text') }
    await page.getByLabel('Upload files').first().setInputFiles(file)
    await confirm(page, 'Replace 1 file?', 'Replace 1 file')
    await expect(page.getByText('team was not uploaded.')).toBeVisible()
    assert.deepEqual(answered, [409])
  })

  test('are asked about by their own words where a page is left while they are on their way', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    await page.route(/\/files\/uploads\?/, () => undefined)
    const file = { name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('some text') }
    await page.getByLabel('Upload files').first().setInputFiles(file)
    // A folder of the same box is no other page.
    await tabTo(page, 'link', 'team/')
    await press(page, 'Enter')
    await expect(page.getByRole('link', { name: 'web/' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Stop the upload of slow.txt' })).toBeVisible()
    await tabTo(page, 'link', 'Snapshots')
    await press(page, 'Enter')
    await confirm(page, 'Stop the uploads?', 'Stop and leave')
    await expect(page).toHaveURL(/\/snapshots$/)
  })

  test('lead back from a folder that is not there', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files?path=gone', files)
    const { page } = console
    console.allow(/Failed to load resource/)
    await expect(page.getByRole('heading', { name: 'There is no such folder' })).toBeVisible()
    await tabTo(page, 'link', 'All files of backups')
    await press(page, 'Enter')
    await expect(page.getByRole('link', { name: 'team/' })).toBeVisible()
  })

  test('are those of a snapshot where one is chosen, and cannot be changed there', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    const [{ id, name }] = await partsOf(console, 'snapshots')
    await expect(page.getByRole('link', { name: 'team/' })).toBeVisible()
    await tabTo(page, 'combobox', 'Files')
    await page.keyboard.type(name)
    await expect(page).toHaveURL(new RegExp(`snapshot=${id}`))
    // Subaccounts came later, and their folders with them.
    await expect(page.getByText('Nothing was in here', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'New folder' })).toHaveAccessibleDescription(/cannot be changed/)
  })
})

drivesWhatIsSaid(import.meta.filename)
