import { basePath } from '../kernel/http/http.ts'
import type { OpenPage } from '../kernel/http/open-pages.ts'

/** GET /v1/ca.pem: the root of the embedded certificate authority. There is no such page when the root is another's. */
export function rootPage(root: () => Promise<string>): OpenPage {
  return {
    path: `${basePath}/ca.pem`,
    answer: async () => ({ status: 200, type: 'application/x-pem-file', body: await root() }),
  }
}
