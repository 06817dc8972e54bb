/** HTML pages for people. */
import type { PageAnswer } from '../kernel/http/open-pages.ts'

/** An HTML page whose headers forbid scripts and all resources but its icon. */
export function htmlPage(body: string): PageAnswer {
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'" },
    body,
  }
}
