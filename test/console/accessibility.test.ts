/** Every page of the console in every state, in both themes, wide and narrow: no violation that axe can find. */
import { test } from 'node:test'
import { engines } from '../engines.ts'
import { assertAccessible, forConsole } from './harness.ts'
import { pageStates } from './states.ts'

/** Where pictures of the states go, if they are wanted. */
const pictures = process.env.WOLKE_CONSOLE_SCREENSHOTS
const only = process.env.WOLKE_CONSOLE_STATES?.split(',')

forConsole(
  'accessibility of the console',
  (open) => {
    for (const { name, path, role, options, prepare, act } of pageStates) {
      if (only && !only.some((part) => name.startsWith(part))) continue
      test(name, async () => {
        const console = await open({ ...(role === undefined ? {} : { role }), ...options })
        await prepare?.(console)
        const { page } = console
        await console.visit(typeof path === 'string' ? path : await path(console))
        await act?.(console)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of [1280, 375]) {
            await page.setViewportSize({ width, height: 800 })
            if (pictures)
              await page.screenshot({ path: `${pictures}${name}-${colorScheme}-${width}.png`, fullPage: true })
            await assertAccessible(page, colorScheme === 'light' ? 'all' : 'colors')
          }
        }
      })
    }
  },
  engines.slice(0, 1),
)
