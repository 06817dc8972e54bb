/** The files of Storage Boxes, which hold some here, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { PassingStorage } from '../../../src/drivers/storage/open.ts'
import { simulate } from '../../../src/families.ts'
import { testClock } from '../../kit/harness.ts'
import { openBox, partsOf, visitBox } from '../kit/boxes.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, type ConsoleOptions, expect, forConsole, press, tabTo } from '../kit/harness.ts'
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

/** A folder to upload: `trip` with files in it and below, and a folder that is empty. */
function someFolder(): { readonly path: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-trip-'))
  const path = join(directory, 'trip')
  mkdirSync(join(path, 'inner/deep'), { recursive: true })
  mkdirSync(join(path, 'empty'))
  for (const name of ['a.txt', 'inner/b.txt', 'inner/deep/c.txt']) writeFileSync(join(path, name), `text of ${name}`)
  return { path, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

/** Drops something of the machine on what is at a place of the page, as people do with the mouse. */
async function drop({ page, context }: Console, target: Locator, path: string): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!
  const session = await context.newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [path], dragOperationsMask: 1 }
    await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
  }
  await session.detach()
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

  test('come in folders that are dropped, with all that is in them', async () => {
    await using files = await withFiles()
    using trip = someFolder()
    const console = await openBox(open, '/files', files)
    const { page } = console
    await expect(page.getByRole('link', { name: 'team/' })).toBeVisible()
    await drop(console, page.getByRole('table'), trip.path)
    await expect(page.getByText('7 of 7 done')).toBeVisible()
    for (const [folder, name] of [
      ['', 'trip/'],
      ['trip', 'a.txt'],
      ['trip', 'empty/'],
      ['trip/inner', 'b.txt'],
      ['trip/inner/deep', 'c.txt'],
    ] as const) {
      await visitBox(console, `/files?path=${folder}`)
      await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
    }
    await visitBox(console, '/files?path=trip/empty')
    await expect(page.getByText('Nothing is in here')).toBeVisible()
  })

  test('of a folder that is chosen arrive but for those that something is in the way of', async () => {
    await using files = await withFiles()
    using trip = someFolder()
    const console = await openBox(open, '/files', files)
    const { page } = console
    console.allow(/Failed to load resource/)
    await act(page, 'New folder')
    await fill(page, 'Name', 'trip')
    await confirm(page, 'New folder in backups', 'Make the folder')
    await tabTo(page, 'link', 'trip/')
    await press(page, 'Enter')
    await expect(page.getByText('Nothing is in here')).toBeVisible()
    const inTheWay = { name: 'inner', mimeType: 'text/plain', buffer: Buffer.from('some text') }
    await page.getByLabel('Upload files').first().setInputFiles(inTheWay)
    await expect(page.getByText('Uploaded · 9 B')).toBeVisible()
    await tabTo(page, 'link', 'backups')
    await press(page, 'Enter')
    await expect(page.getByRole('link', { name: 'trip/' })).toBeVisible()
    await act(page, 'Clear the finished ones')
    await page.getByLabel('Upload a folder').first().setInputFiles(trip.path)
    await confirm(page, 'Replace what has the same names?', 'Upload and replace')
    await expect(page.getByText('1 of 3 done')).toBeVisible()
    await expect(page.getByText('trip/inner/b.txt was not uploaded.')).toBeVisible()
    await expect(page.getByText('trip/inner/deep/c.txt was not uploaded.')).toBeVisible()
    await tabTo(page, 'link', 'trip/')
    await press(page, 'Enter')
    await expect(page.getByRole('link', { name: 'a.txt' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'inner', exact: true })).toBeVisible()
  })

  test('are stopped all at once', async () => {
    await using files = await withFiles()
    const console = await openBox(open, '/files', files)
    const { page } = console
    await page.route(/\/files\/uploads\?/, () => undefined)
    const chosen = ['one.txt', 'two.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
    await page.getByLabel('Upload files').first().setInputFiles(chosen)
    await expect(page.getByText('0 of 2 done')).toBeVisible()
    await act(page, 'Stop all')
    await expect(page.getByText('Stopped · 7 B')).toHaveCount(2)
    await act(page, 'Clear the finished ones')
    await expect(page.getByRole('heading', { name: 'Uploads' })).toHaveCount(0)
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
