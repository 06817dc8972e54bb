/** The rules that the console shares with the server, in the browser itself. */
import { test } from 'node:test'
import { answersAsNode, bundled } from '../browser/questions.ts'
import { noChromium, openBrowser } from './kit/chromium.ts'

declare const made: { answer(question: string): string }

test('rules of the server answer in a browser as in Node', { skip: noChromium ?? false }, async () => {
  const page = await (await openBrowser()).newPage()
  await page.addScriptTag({ content: await bundled("export { answer } from './test/browser/rules.ts'") })
  await answersAsNode((questions) => page.evaluate((all) => all.map((one) => made.answer(one)), questions))
  await page.close()
})
