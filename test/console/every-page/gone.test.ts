/** Every page of what is not there: somebody else's, what nothing is called, and what was deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Console, expect, forConsole } from '../kit/harness.ts'
import { judgeInShort } from '../kit/looks.ts'
import { harmless } from './pages.ts'
import { go, idOf, pages, pathOf, settledControls, something } from './walk.ts'

/** What an address names beside the pages that there are, and the name of the way back. */
async function missing(console: Console): Promise<readonly (readonly [path: string, back: string])[]> {
  const found: [string, string][] = [
    ['/nowhere', 'All Projects'],
    ['/account/nowhere', 'All Projects'],
    ['/admin/nowhere', 'Installation'],
    ['/projects/first', 'All Projects'],
    ['/projects/1/servers', 'All Projects'],
    ['P/nowhere', 'Overview'],
    ['P/servers/new/nowhere', 'Servers'],
    ['P/raw/servers_nowhere', 'Raw request'],
    ['P/zones/nowhere.example', 'DNS zones'],
    ['P/zones/no%20where', 'DNS zones'],
  ]
  for (const [route, one] of pages) {
    const { path, shows, tabs } = one
    const list = path.slice(0, path.indexOf('/{id}'))
    if (route.includes('$id')) for (const id of ['1', 'first', '1.5']) found.push([`${list}/${id}`, ''])
    if (tabs && shows) found.push([`${await pathOf(console, one)}/nowhere`, shows[1]])
  }
  return found
}

forConsole('every page of what is not there', (open) => {
  test('shows nothing of the Project of somebody else, not even that it is there', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    await console.visit('')
    for (const [route, one] of pages) {
      if (one.isOwn) continue
      await go(console, (await pathOf(console, one)).replace(/^P/, '/projects/1'))
      await expect(console.page.getByRole('heading', { level: 1 }), route).toHaveText('There is nothing here')
    }
  })

  test('says so in the frame, with a way back, however the address names it', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    await console.visit('')
    const { page } = console
    const main = page.getByRole('main')
    const judge = async (path: string, back: string) => {
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('There is nothing here')
      await expect(main, path).toContainText(decodeURI(path.replace(/^P/, '')))
      await expect(main.getByRole('link', back ? { name: back } : {}), path).toHaveCount(1)
      await expect(page.getByRole('button', { name: 'Search or run a command' }), path).toBeVisible()
    }
    const all = await missing(console)
    for (const [path, back] of all) {
      await go(console, path)
      await judge(path, back)
    }
    await judgeInShort(page)
    // The same by an address that is typed, of each kind.
    for (const [path, back] of all.filter(([path]) => /^(.nowhere|P.*nowhere|P.servers.first)$/.test(path))) {
      await console.visit(path)
      await judge(path, back)
    }
  })

  test('says that it was deleted, and leaves nothing to do', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    await console.visit('')
    const { page, api, world } = console
    for (const [route, one] of pages) {
      if (!one.shows) continue
      const [family, name] = one.shows
      await go(console, await pathOf(console, one))
      await expect(page.getByRole('heading', { level: 1 }), route).toHaveText(name)
      const path = `/${family}/${await idOf(api, one.shows)}`
      assert.equal((await api.delete(path)).status < 300, true, path)
      await world.settle()
      const note = page.getByText(`${name} was deleted elsewhere while this page was open.`)
      await expect(note, route).toBeVisible()
      await expect(note.getByRole('link'), route).toBeVisible()
      const on = (await settledControls(page)).filter(
        ({ name, isOff }) => !isOff && !harmless.some((one) => one.test(name)),
      )
      assert.deepEqual(on, [], route)
      await judgeInShort(page)
    }
  })
})
