/** Passkeys, as browsers make and use them. Errors: those of the browser, such as `NotAllowedError` when it was cancelled. */

type Json = Readonly<Record<string, unknown>>

/** Makes a passkey for the challenge of the server; returns what the server judges. */
export async function makePasskey(options: Json): Promise<Record<string, unknown>> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return toJson(await navigator.credentials.create({ publicKey }))
}

/** Answers the challenge of the server with a passkey. */
export async function answerWithPasskey(options: Json): Promise<Record<string, unknown>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return toJson(await navigator.credentials.get({ publicKey }))
}

function toJson(credential: Credential | null): Record<string, unknown> {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser gave no passkey')
  return { ...credential.toJSON() }
}

/** Returns whether this browser can have passkeys; pages over plain HTTP on a name of the network cannot. */
export function canMakePasskeys(): boolean {
  return 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential
}

/** Returns whether the person closed the window of the browser, which is no failure. */
export function wasCancelled(cause: unknown): boolean {
  return cause instanceof DOMException && (cause.name === 'NotAllowedError' || cause.name === 'AbortError')
}
