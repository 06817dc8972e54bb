/**
 * Forms with changes that are not saved. None is lost by accident: leaving the page, going back, closing the tab and
 * closing a dialog ask first.
 */
import { useRouter } from '@tanstack/react-router'
import { createElement, useEffect, useState } from 'react'
import { showOnTop } from './top-slot.tsx'

/**
 * The moves that end a form: to another page; or to any other address, such as that of another filter; or, in a dialog,
 * only back, because nothing behind the dialog can be used.
 */
type Place = 'page' | 'view' | 'dialog'

/** What is asked before something is lost. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly act: string
  readonly keep: string
}

interface Going {
  readonly currentLocation: { readonly pathname: string }
  readonly nextLocation: { readonly pathname: string }
  readonly action: 'PUSH' | 'REPLACE' | 'FORWARD' | 'BACK' | 'GO'
}

const places = new Set<{ readonly place: Place; readonly question: Question | undefined }>()
let unblock: (() => void) | undefined
let asked: Promise<boolean> | undefined

/**
 * Keeps a form from being lost while it has changes that are neither saved nor on their way. What is no form has a question
 * of its own.
 */
export function useUnsaved(isDirty: boolean, place: Place = 'page', question?: Question): void {
  const { history } = useRouter()
  useEffect(() => {
    if (!isDirty) return
    const me = { place, question }
    places.add(me)
    unblock ??= history.block({
      enableBeforeUnload: true,
      blockerFn: async (going) => {
        const [lost, ...others] = [...places].filter(({ place }) => isLosing(place, going))
        return lost !== undefined && !(await mayDiscard(others.length > 0 ? undefined : lost.question))
      },
    })
    return () => {
      places.delete(me)
      if (places.size > 0) return
      unblock?.()
      unblock = undefined
    }
  }, [history, isDirty, place, question])
}

function isLosing(place: Place, { currentLocation, nextLocation, action }: Going): boolean {
  if (place === 'dialog') return action !== 'PUSH' && action !== 'REPLACE'
  return place === 'view' || currentLocation.pathname !== nextLocation.pathname
}

/** Does what closes a form of the page; asks before where something would be lost. */
export function closing(act: () => void): void {
  if (places.size === 0) act()
  else void mayDiscard().then((discards) => discards && act())
}

/** Asks whether changes may be lost. */
export function mayDiscard(question?: Question): Promise<boolean> {
  asked ??= ask(question).finally(() => {
    asked = undefined
  })
  return asked
}

async function ask(question: Question | undefined): Promise<boolean> {
  const { DiscardQuestion } = await import('./discard-question.tsx')
  return new Promise((resolve) => {
    const hide = showOnTop(
      createElement(DiscardQuestion, {
        question,
        onAnswer: (discards: boolean) => {
          hide()
          resolve(discards)
        },
      }),
    )
  })
}

/** Returns whether a value is another than at first. Values are compared as JSON. */
export function useChanged(value: unknown): boolean {
  const text = JSON.stringify(value)
  const [first] = useState(text)
  return text !== first
}
