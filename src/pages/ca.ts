import { publicBase } from '../kernel/contract/bases.ts'
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'

/** GET /v1/ca.pem: the root of the embedded certificate authority. An installation with an ACME authority lacks it. */
export function rootPage(root: () => Promise<string>): OpenPage {
  return {
    path: `${publicBase}/ca.pem`,
    answer: async () => ({ status: 200, type: 'application/x-pem-file', body: await root() }),
  }
}
