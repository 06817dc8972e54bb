/** The mark as the icon of every page, at the address where browsers look for it when a page names none. */
import type { OpenPage } from '../kernel/http/open-pages.ts'
import { mark } from '../look/mark.ts'

const path = '/favicon.ico'

/** For the head of a page. */
export const iconLink = `<link rel="icon" type="image/svg+xml" href="${path}">`

const headers = { 'x-content-type-options': 'nosniff', 'cache-control': 'public, max-age=86400' }

export const icon: OpenPage = {
  path,
  answer: async () => ({ status: 200, type: 'image/svg+xml', body: mark, headers }),
}
