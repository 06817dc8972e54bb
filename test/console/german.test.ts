/** The console in German: no page shows an English word, not even until German is there. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { expect, forConsole, press } from './kit/harness.ts'

/** What functions find that run in the browser. */
declare const document: object
declare const MutationObserver: new (
  told: (changes: readonly { readonly target: Text; readonly addedNodes: readonly Text[] }[]) => void,
) => { observe(target: object, options: object): void }
declare const drawn: Set<string>

interface Text {
  readonly textContent: string
}

const root = new URL('../../', import.meta.url).pathname

/** The texts of a language without places to fill in. Words ask the page that they are on for its language. */
async function textsOf(language: 'de' | 'en'): Promise<readonly string[]> {
  Object.assign(globalThis, { document: { documentElement: { lang: language } } })
  const files = globSync(`console/{words/${language}/*.ts,families/**/*.${language}.ts}`, { cwd: root })
  const areas = await Promise.all(files.map((file) => import(root + file)))
  return textsIn(areas.map((area) => ({ ...area })))
}

function textsIn(words: unknown): readonly string[] {
  if (typeof words === 'string') return [words]
  return typeof words === 'object' && words !== null ? Object.values(words).flatMap(textsIn) : []
}

/** Notes all text that is ever drawn. */
function noteTexts(): void {
  const place = globalThis as unknown as { drawn: Set<string> }
  place.drawn = new Set()
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const { textContent } of [target, ...addedNodes]) place.drawn.add(textContent)
  }).observe(document, { childList: true, characterData: true, subtree: true })
}

forConsole('the console in German', (open) => {
  test('draws no English, from the first picture on', async () => {
    const german = new Set(await textsOf('de'))
    const english = (await textsOf('en')).filter((text) => text.length > 2 && !german.has(text))
    assert.ok(english.length > 500)
    const { page, visit, api } = await open({ language: 'de', isOperator: true })
    assert.equal((await api.post('/zones', { name: 'example.com', mode: 'primary' })).status, 201)
    await page.addInitScript(noteTexts)
    const check = async () => {
      const texts = new Set(await page.evaluate(() => [...drawn]))
      assert.ok(texts.size > 10)
      assert.deepEqual(
        english.filter((text) => texts.has(text)),
        [],
        page.url(),
      )
    }
    for (const path of ['P/servers', 'P', 'P/zones/example.com/records', 'P/firewalls/new', '/admin/options']) {
      await visit(path)
      await page.waitForLoadState('networkidle')
      await check()
    }
    await visit('P/servers')
    for (const name of ['Firewalls', 'Zertifikate', 'Netzwerke']) {
      await page.getByRole('navigation').getByRole('link', { name }).first().click()
      await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
    }
    await press(page, 'Control+k')
    await expect(page.getByRole('combobox', { name: /suchen/i })).toBeVisible()
    await check()
  })

  test('says in German what is wrong with inputs, and marks what it cannot say', async () => {
    const { page, visit, allow } = await open({ language: 'de' })
    allow(/status of 422/)
    await visit('P/firewalls/new')
    await page.waitForLoadState('networkidle')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('web')
    await page.getByRole('button', { name: 'SSH hinzufügen' }).click()
    await expect(page.getByText('Von: fehlt für die Richtung in')).toBeVisible()
    await page.keyboard.type('10.0.0.1/8')
    await press(page, 'Enter')
    await expect(page.getByText('10.0.0.1/8 hat gesetzte Host-Bits; das Netz ist 10.0.0.0/8')).toBeVisible()
    await page.getByRole('textbox', { name: 'Labels' }).fill('-a=b')
    await expect(page.getByText('muss mit einem Buchstaben oder einer Ziffer beginnen und enden')).toBeVisible()
    await page.getByRole('textbox', { name: 'Labels' }).fill('')
    await page
      .getByRole('button', { name: /Entfernen|Internet|10\.0\.0\.1/ })
      .first()
      .click()
    await page.getByRole('combobox', { name: 'Von von Regel 1' }).fill('internet')
    await press(page, 'Enter')
    const messages = ['must not have more than 63 characters', 'was never said before']
    await page.route(/\/v1\/firewalls$/, (route) => {
      const details = { fields: [{ name: 'name', messages }] }
      return route.fulfill({
        status: 422,
        json: { error: { code: 'invalid_input', message: 'invalid input', details } },
      })
    })
    await page.getByRole('complementary').getByRole('button', { name: 'Firewall anlegen' }).click()
    await expect(page.getByText('darf höchstens 63 Zeichen haben Der Server nimmt das nicht an:')).toBeVisible()
    await expect(page.locator('[lang=en]', { hasText: 'was never said before' })).toBeVisible()
  })
})
