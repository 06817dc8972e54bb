/** The mark as the icon of every page. */
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'
import { iconPath } from '../look/icon.ts'
import { mark } from '../look/texts.ts'

const headers = { 'cache-control': 'public, max-age=86400' }

export const icon: OpenPage = {
  path: iconPath,
  answer: async () => ({ status: 200, type: 'image/svg+xml', body: mark, headers }),
}
