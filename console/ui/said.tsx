/** Words for the problems of inputs, in the language of the page. */
import { Fragment } from 'react'
import { saidByServer } from '../api/failure.ts'
import { language } from '../words/words.ts'

type ErrorWords = typeof import('../words/errors.ts').errors

/** Loaded with the first failure: most pages never need them. */
let w: ErrorWords | undefined
let formOf: (message: string) => string | undefined = () => undefined
let namedForm = formOf
let withNames = (message: string) => message

/** `loadNames` gives the names of resources by their ids, as far as they are known. */
export async function loadErrorWords(loadNames: () => Promise<(id: number) => string | undefined>): Promise<void> {
  if (w) return
  const [{ errors }, { messages, named }, { translator }, nameOf] = await Promise.all([
    import('../words/errors.ts'),
    import('../words/messages.ts'),
    import('../lib/messages.ts'),
    loadNames(),
  ])
  w = errors
  formOf = translator(messages)
  withNames = (message) => message.replace(/(?<= with ID '?)\d+/g, (id) => nameOf(Number(id)) ?? id)
  namedForm = translator({ ...named, ...messages })
}

/** Undefined before the first failure. */
export function errorWords(): ErrorWords | undefined {
  return w
}

/** Returns why something failed, where the server names what is in the way; undefined for other messages. */
export function saidByName(message: string): string | undefined {
  return namedForm(withNames(message))
}

/** A text for where nothing can be marked, such as a tip. */
export function said(text: string): string {
  return formOf(text) ?? text
}

interface SaidProps {
  readonly texts: readonly string[]
  readonly between?: string
}

/**
 * Messages of the server, and texts that are in the language already. A message without a form there follows a sentence
 * about its code, and is marked as English.
 */
export function Said({ texts, between = ' ' }: SaidProps) {
  return texts.map((text, index) => {
    const form = formOf(text)
    const code = form === undefined && language !== 'en' ? saidByServer(text) : undefined
    return (
      <Fragment key={text}>
        {index > 0 && between}
        {code && `${code === 'invalid_input' ? w?.refused : w?.byCode[code]} `}
        {code ? <span lang="en">{text}</span> : (form ?? text)}
      </Fragment>
    )
  })
}
