/** HTML pages for people. */

import type { PageAnswer } from '../kernel/http/pages/open-pages.ts'
import { browserHeaders } from '../kernel/http/server/browser-headers.ts'

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** An HTML page whose headers forbid scripts, all resources but its icon, and frames around it. */
export function htmlPage(body: string): PageAnswer {
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    headers: { ...browserHeaders, 'content-security-policy': policy },
    body,
  }
}
