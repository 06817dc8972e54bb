/** The API reference: the OpenAPI document and a page made from it that needs no network and runs no script. */
import type { OpenPage } from '../kernel/http/open-pages.ts'
import { htmlPage } from './html-page.ts'
import { openApiDocument } from './openapi.ts'
import { renderReference } from './render.ts'

/** GET /v1/openapi.json and GET /docs; both made at their first use. */
export function referencePages(): OpenPage[] {
  let document: string | undefined
  let page: string | undefined
  return [
    {
      path: '/v1/openapi.json',
      async answer() {
        document ??= JSON.stringify(openApiDocument())
        return { status: 200, type: 'application/json; charset=utf-8', body: document }
      },
    },
    {
      path: '/docs',
      async answer() {
        page ??= renderReference(openApiDocument())
        return htmlPage(page)
      },
    },
  ]
}
