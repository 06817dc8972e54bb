/** Buttons of the pages before the console for which the script asks the browser about passkeys. Without it they stay hidden. */
import { type Html, html, type Part } from '../../protocols/net/html.ts'
import { rpIdAt } from '../credentials/passkeys.ts'
import type { Visit } from './door.ts'

/** Tells whether browsers have passkeys for this place, and the installation wants them. */
function isPossible({ people, call }: Visit): boolean {
  return rpIdAt(call.origin, people.settings) !== undefined && !people.settings.isOidcOnly
}

function button(visit: Visit, attributes: Part, label: string, failed: string): Html {
  const { words } = visit
  // The script asks for a challenge later; tabs that do so at the same time have to have the same secret by then.
  visit.browserSecret()
  return html`<button type="button" class="btn primary wide" data-passkey${attributes} data-with-passkey hidden><svg class="icon" aria-hidden="true"><use href="#i-passkey"/></svg>${label}</button>
<p class="error" role="alert" tabindex="-1" data-problem hidden><svg class="sign" aria-hidden="true"><use href="#cx"/></svg><span>${failed}</span></p>
<p class="or" data-with-passkey hidden>${words.or}</p>
`
}

/** Offers a passkey, for signing in or as a second factor, where passkeys are possible. */
export function passkeyButton(visit: Visit, next: string, isFirst: boolean): Html | undefined {
  if (!isPossible(visit)) return undefined
  const { words } = visit
  const query = new URLSearchParams({ next }).toString()
  const attributes = html` data-options-at="/console/login/passkey/options" data-answer-at="/console/login/passkey?${query}"${isFirst ? html` data-conditional` : undefined}`
  return button(visit, attributes, words.withPasskey, words.passkeyFailed)
}

/** Makes a passkey for the account that the form around it describes, instead of a password; `path` is that of the form. */
export function newPasskeyButton(visit: Visit, path: '/console/setup' | '/console/invite'): Html | undefined {
  if (!isPossible(visit)) return undefined
  const { words } = visit
  const attributes = html` data-options-at="${path}/passkey/options" data-answer-at="${path}/passkey" data-new`
  return button(visit, attributes, words.newPasskey, words.newPasskeyFailed)
}
