/** The pages of tokens, members, settings, activity, the audit log, raw requests and the own account. */
import { someServers } from './servers.ts'
import type { PageState } from './states.ts'

const full = { prepare: someServers } as const

export const accessStates: readonly PageState[] = [
  { name: 'tokens', path: 'P/security/tokens' },
  { name: 'tokens-forbidden', path: 'P/security/tokens', role: 'viewer' },
  {
    name: 'tokens-new',
    path: 'P/security/tokens',
    async act({ page }) {
      await page.keyboard.press('c')
      const dialog = page.getByRole('dialog', { name: 'Create token' })
      await dialog.getByRole('textbox', { name: 'Description' }).fill('ci')
      await dialog.getByRole('switch', { name: 'Limit what it may do' }).check()
      await dialog.getByRole('checkbox', { name: 'servers', exact: true }).check()
    },
  },
  {
    name: 'tokens-secret',
    path: 'P/security/tokens',
    async act({ page }) {
      await page.keyboard.press('c')
      const dialog = page.getByRole('dialog', { name: 'Create token' })
      await dialog.getByRole('textbox', { name: 'Description' }).fill('laptop')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: /Your new token/ }).waitFor()
    },
  },
  { name: 'members', path: 'P/security/members' },
  { name: 'members-viewer', path: 'P/security/members', role: 'viewer' },
  {
    name: 'members-invite',
    path: 'P/security/members',
    async act({ page }) {
      await page.keyboard.press('c')
      await page.getByRole('dialog', { name: 'Invite somebody' }).waitFor()
    },
  },
  { name: 'settings', path: 'P/settings' },
  { name: 'settings-left', path: 'P/settings', ...full },
  { name: 'settings-viewer', path: 'P/settings', role: 'viewer' },
  { name: 'activity', path: 'P/activity', ...full },
  { name: 'activity-empty', path: 'P/activity', role: 'viewer' },
  {
    name: 'activity-entry',
    path: 'P/activity',
    ...full,
    async act({ page }) {
      await page.getByRole('link', { name: 'Create server' }).first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'audit', path: 'P/security/audit', ...full },
  { name: 'raw', path: 'P/raw' },
  { name: 'raw-request', path: 'P/raw/servers_create' },
  {
    name: 'raw-reply',
    path: 'P/raw/locations_list',
    async act({ page }) {
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: 'Reply' }).waitFor()
    },
  },
  { name: 'account-profile', path: '/account/profile' },
  { name: 'account-security', path: '/account/security' },
  {
    name: 'account-totp',
    path: '/account/security',
    async act({ page }) {
      await page.getByRole('button', { name: 'Set up one-time codes' }).click()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
    },
  },
  { name: 'account-sessions', path: '/account/sessions' },
]
