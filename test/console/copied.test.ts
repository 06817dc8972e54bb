/** What the button of a panel copies is what its form sends, whatever is in its fields: pasted into a shell, it arrives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { masked } from '../../console/commands/mask.ts'
import { shellsForSuite, textsIn, textsOf } from '../kit/samples/pasted.ts'
import { drivesWhatIsSaid } from './kit/driven.ts'
import { type Console, expect, forConsole } from './kit/harness.ts'
import { someZones } from './states/resources.ts'

const nasty = `it's "a" \\ %s !x $(touch ran) \`touch ran\` \${x} %{y}`

interface Form {
  readonly path: string
  /** Fills it in. */
  readonly fill: (page: Page) => Promise<unknown>
  readonly button: string | RegExp
}

const named =
  (more: (page: Page) => Promise<unknown> = async () => undefined) =>
  async (page: Page) => {
    await page.getByLabel('Name', { exact: true }).fill(nasty)
    await more(page)
  }
const inDialog = (opener: string, more?: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.getByRole('button', { name: opener }).first().click()
  await page.getByRole('dialog').waitFor()
  await named(more)(page)
}
const lines = (text: string) => `${text}\n#!/bin/sh\n${text}\nEOF\n`

const forms: Readonly<Record<string, Form>> = {
  'an SSH key': {
    path: 'P/security/ssh-keys',
    fill: inDialog('Add an SSH key', (page) => page.getByLabel('Public key').fill(`ssh-ed25519 AAAA ${nasty}`)),
    button: 'Add an SSH key',
  },
  'a placement group': {
    path: 'P/placement-groups',
    fill: inDialog('Create placement group'),
    button: 'Create placement group',
  },
  'a Floating IP': { path: 'P/floating-ips', fill: inDialog('Create Floating IP'), button: 'Create Floating IP' },
  'a Primary IP': { path: 'P/primary-ips', fill: inDialog('Create Primary IP'), button: 'Create Primary IP' },
  'a network': { path: 'P/networks/new', fill: named(), button: 'Create network' },
  'a volume': { path: 'P/volumes/new', fill: named(), button: 'Create volume' },
  'a Load Balancer': { path: 'P/load-balancers/new', fill: named(), button: 'Create Load Balancer' },
  'a firewall': { path: 'P/firewalls/new', fill: named(), button: 'Create firewall' },
  'a server': {
    path: 'P/servers/new?name=web-1',
    fill: async (page) => {
      await page.getByLabel('Cloud-init').fill(lines(nasty))
    },
    button: 'Create server',
  },
  'a certificate': {
    path: 'P/certificates/upload',
    fill: named(async (page) => {
      await page.getByLabel('Certificate chain').fill(lines(nasty))
      await page.getByLabel('Private key').fill('secret')
    }),
    button: 'Upload the certificate',
  },
  'a zone': {
    path: 'P/zones/new',
    fill: async (page) => {
      await page.getByLabel('Name of the zone').fill('new.example')
      await page.getByLabel('Zone file').fill(lines(nasty))
    },
    button: 'Create zone',
  },
  'a record': {
    path: 'P/zones/nordlicht.de',
    fill: async (page) => {
      await page.getByRole('button', { name: 'New record' }).first().click()
      await page.getByRole('combobox', { name: 'Type' }).last().selectOption('TXT')
      await page.getByLabel('Comment').fill(nasty)
    },
    button: /^Create 1 record/,
  },
  'the import of a long file': {
    path: 'P/zones/nordlicht.de/import',
    fill: async (page) => {
      await page.getByText('Replace', { exact: true }).click()
      const head = '@ SOA ns1.a.example. me.a.example. 1 86400 10800 3600000 3600\n@ NS ns1.a.example.\n'
      const records = Array.from({ length: 300 }, (_, n) => `many 300 TXT "${n} it's $(touch ran) %s !x"`)
      await page.getByRole('textbox', { name: 'The file' }).fill(`${head}${records.join('\n')}\n`)
    },
    button: /^Replace/,
  },
}

/** Takes what a panel copies for a client, which is what it shows. */
async function copied(page: Page, client: string): Promise<string> {
  const panel = page.getByRole('region', { name: 'Equivalent command' }).last()
  await panel.getByRole('tab', { name: client }).click()
  await page.evaluate("navigator.clipboard.writeText('')")
  await panel.getByRole('button', { name: /Copy|Copied/ }).click()
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).not.toBe('')
  const text = await page.evaluate<string>('navigator.clipboard.readText()')
  const shown = (await panel.locator('pre').textContent()) ?? ''
  assert.ok(shown.endsWith('…') ? text.startsWith(shown.slice(0, -1)) : text === shown, `${text}\n${shown}`)
  return text
}

/** What the button of a form sends, which does not reach the server. */
async function sent(page: Page, button: Form['button']): Promise<{ readonly path: string; readonly body: unknown }> {
  const asked = new Promise<{ path: string; body: unknown }>((resolve) => {
    void page.route(/\/console\/api\/.*/, async (route) => {
      const request = route.request()
      if (request.method() === 'GET') return route.fallback()
      const path = decodeURI(new URL(request.url()).pathname).replace(/.*\/projects\/\d+/, '')
      resolve({ path, body: request.postDataJSON() })
      const error = { code: 'conflict', message: 'noted', details: null }
      await route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify({ error }) })
    })
  })
  await page.getByRole('button', { name: button }).last().click()
  const found = await asked
  await page.unrouteAll()
  return found
}

const clients = ['hcloud', 'curl'] as const
const shells = shellsForSuite()

async function judge(console: Console, { path, fill, button }: Form): Promise<void> {
  const { page, origin } = console
  await console.visit(path)
  await fill(page)
  const texts: string[] = []
  for (const client of clients) texts.push((await copied(page, client)).replaceAll(origin, shells().endpoint))
  const { path: target, body } = await sent(page, button)
  const pasted = await shells().paste(texts)
  const told = masked({ operation: '', body }).body
  clients.forEach((client, index) => {
    const { calls, requests } = pasted[index]!
    if (client === 'curl') {
      assert.deepEqual([decodeURI(requests[0]?.url ?? ''), JSON.parse(requests[0]?.body ?? 'null')], [target, told])
    } else assert.deepEqual(new Set(calls.flatMap(textsOf)), new Set(textsIn(told)), texts[index])
  })
}

forConsole('copied commands', (open) => {
  test('arrive as what their form sends', async () => {
    const console = await open()
    await someZones(console)
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: console.origin })
    console.allow(/status of 409/)
    for (const [name, form] of Object.entries(forms)) {
      await judge(console, form).catch((cause: unknown) => assert.fail(new Error(name, { cause })))
    }
  })
})

drivesWhatIsSaid(import.meta.filename)
