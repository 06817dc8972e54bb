/** The routes of the pages before the console. */
import { ApiError } from '../../kernel/errors.ts'
import type { OpenPage } from '../../kernel/http/pages/open-pages.ts'
import type { ServedAnswer, ServedRoute } from '../../kernel/http/pages/served.ts'
import { type Door, type doorPlaces, Visit } from './door.ts'
import { acceptInvite, offerInvite, showInvite } from './invite.ts'
import {
  answerEnter,
  answerReset,
  answerSetup,
  askForReset,
  refusalPage,
  showEnter,
  showReset,
  showSetup,
} from './links.ts'
import { answerSecond, logIn, logOut, showLogin, showLogout, showSecond } from './login.ts'
import { acceptWithPasskey, invitePasskeyOptions, setUpWithPasskey, setupPasskeyOptions } from './new-passkey.ts'
import {
  enterWithToken,
  finishOidc,
  logInWithPasskey,
  passkeyOptions,
  showTokenDoor,
  startOidc,
} from './other-logins.ts'
import { doorScript } from './script.ts'
import { doorStyle } from './style.ts'

type Handle = (visit: Visit) => Promise<ServedAnswer>
/** The path of a page, below one of `doorPlaces`. */
type DoorPath = `/${(typeof doorPlaces)[number]}${'' | `/${string}`}`

const pages: readonly (readonly [method: 'GET' | 'POST', path: DoorPath, handle: Handle])[] = [
  ['GET', '/login', showLogin],
  ['POST', '/login', logIn],
  ['GET', '/login/second', showSecond],
  ['POST', '/login/second', answerSecond],
  ['POST', '/login/passkey/options', passkeyOptions],
  ['POST', '/login/passkey', logInWithPasskey],
  ['GET', '/login/oidc', startOidc],
  ['GET', '/login/oidc/callback', finishOidc],
  ['GET', '/login/token', showTokenDoor],
  ['POST', '/login/token', enterWithToken],
  ['GET', '/logout', showLogout],
  ['POST', '/logout', logOut],
  ['GET', '/setup', showSetup],
  ['POST', '/setup', answerSetup],
  ['POST', '/setup/passkey/options', setupPasskeyOptions],
  ['POST', '/setup/passkey', setUpWithPasskey],
  ['GET', '/enter', showEnter],
  ['POST', '/enter', answerEnter],
  ['GET', '/reset', showReset],
  ['POST', '/reset', askForReset],
  ['POST', '/reset/password', answerReset],
  ['GET', '/invite', showInvite],
  ['POST', '/invite', offerInvite],
  ['POST', '/invite/accept', acceptInvite],
  ['POST', '/invite/passkey/options', invitePasskeyOptions],
  ['POST', '/invite/passkey', acceptWithPasskey],
]

/** The pages before the console. Refusals are pages as well. */
export function doorRoutes(door: Door): ServedRoute[] {
  return pages.map(([method, path, handle]) => ({
    method,
    path: `/console${path}`,
    async answer(call) {
      const visit = new Visit(call, door)
      try {
        return await handle(visit)
      } catch (error) {
        if (error instanceof ApiError) return refusalPage(visit, error)
        throw error
      }
    },
  }))
}

/** Their style sheet and their script. */
export const doorFiles: readonly OpenPage[] = [
  { path: '/console/door/style.css', type: 'text/css; charset=utf-8', body: doorStyle },
  { path: '/console/door/script.js', type: 'text/javascript; charset=utf-8', body: doorScript },
].map(({ path, type, body }) => ({
  path,
  async answer() {
    return { status: 200, type, body }
  },
}))
