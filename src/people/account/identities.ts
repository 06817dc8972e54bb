/** Linking an identity at the identity provider to one's own account. */

import type { People } from '../people.ts'
import { goToProvider } from '../providers/provider-visits.ts'
import type { Account } from './call.ts'
import { secretFor } from './passkeys.ts'

export function identityHandlers(people: People): Pick<Account, 'linkIdentity'> {
  return {
    linkIdentity: async (call) => {
      const browser = call.browser()
      const url = await goToProvider(people, {
        kind: 'oidc-link',
        browser: secretFor(people, browser),
        origin: browser.origin,
        next: '/console/account/security',
        personId: call.caller.actor.id,
      })
      return { url }
    },
  }
}
