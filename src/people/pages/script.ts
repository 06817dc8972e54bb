/**
 * The script of the pages before the console, which work without it but for passkeys. It moves the secret of a link from the
 * fragment, which no server sees, into the form, and lets the browser answer challenges with a passkey.
 */

export const doorScript = `'use strict'
const field = document.querySelector('[data-fragment]')
if (field && location.hash.length > 1) {
  field.value = decodeURIComponent(location.hash.slice(1).replace(/^code=/, ''))
  history.replaceState(null, '', location.pathname + location.search)
  const row = field.closest('.field')
  if (row) row.hidden = true
  if ('auto' in field.form.dataset) field.form.submit()
}

const door = document.querySelector('[data-passkey]')
if (door && window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON) {
  const { optionsAt, answerAt } = door.dataset
  const problem = document.querySelector('[data-problem]')
  let waiting
  const post = async (path, body) => {
    const reply = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await reply.json()
    if (reply.ok) return answer
    if (answer.problem) problem.lastElementChild.textContent = answer.problem
  }
  const fail = () => {
    problem.hidden = false
    problem.focus()
  }
  // The form around the button describes the account of a new passkey.
  const create = async () => {
    const fields = Object.fromEntries(new FormData(door.form))
    delete fields.password
    const wrong = [...door.form.elements].find((one) => one.name !== 'password' && !one.checkValidity())
    if (wrong) return wrong.reportValidity()
    const options = await post(optionsAt, fields)
    if (!options) return fail()
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = await navigator.credentials.create({ publicKey })
    const answer = await post(answerAt, { ...fields, response: credential.toJSON() })
    if (!answer) return fail()
    location.assign(answer.next)
  }
  const signIn = async (mediation) => {
    waiting?.abort()
    waiting = new AbortController()
    const { signal } = waiting
    const options = await post(optionsAt, {})
    if (!options) return mediation ? undefined : fail()
    if (signal.aborted) return undefined
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials.get({ publicKey, signal, ...(mediation ? { mediation } : {}) })
    const answer = credential && (await post(answerAt, credential.toJSON()))
    if (!answer) return fail()
    location.assign(answer.next)
  }
  for (const part of document.querySelectorAll('[data-with-passkey]')) part.hidden = false
  door.addEventListener('click', () => {
    problem.hidden = true
    const work = 'new' in door.dataset ? create() : signIn()
    work.catch((error) => error.name === 'AbortError' || fail())
  })
  if ('conditional' in door.dataset && PublicKeyCredential.isConditionalMediationAvailable) {
    PublicKeyCredential.isConditionalMediationAvailable()
      .then((can) => (can ? signIn('conditional') : undefined))
      .catch(() => undefined)
  }
}
`
