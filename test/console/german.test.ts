/** The console in German: no page shows an English word, not even until German is there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect, forConsole, press } from './harness.ts'

/** What functions find that run in the browser. */
declare const document: object
declare const MutationObserver: new (
  told: (changes: readonly { readonly target: Text; readonly addedNodes: readonly Text[] }[]) => void,
) => { observe(target: object, options: object): void }
declare const drawn: Set<string>

interface Text {
  readonly textContent: string
}

/** The texts of a language without places to fill in. Words ask the page that they are on for its language. */
async function textsOf(language: 'de' | 'en'): Promise<readonly string[]> {
  Object.assign(globalThis, { document: { documentElement: { lang: language } } })
  const words = await import(new URL(`../../console/words/${language}.ts`, import.meta.url).href)
  return textsIn(words[language])
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
})
