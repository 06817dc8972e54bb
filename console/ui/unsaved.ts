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

interface Going {
  readonly currentLocation: { readonly pathname: string }
  readonly nextLocation: { readonly pathname: string }
  readonly action: 'PUSH' | 'REPLACE' | 'FORWARD' | 'BACK' | 'GO'
}

const places = new Set<{ readonly place: Place }>()
let unblock: (() => void) | undefined
let asked: Promise<boolean> | undefined

/** Keeps a form from being lost while it has changes that are neither saved nor on their way. */
export function useUnsaved(isDirty: boolean, place: Place = 'page'): void {
  const { history } = useRouter()
  useEffect(() => {
    if (!isDirty) return
    const me = { place }
    places.add(me)
    unblock ??= history.block({
      enableBeforeUnload: true,
      blockerFn: async (going) => isLosing(going) && !(await mayDiscard()),
    })
    return () => {
      places.delete(me)
      if (places.size > 0) return
      unblock?.()
      unblock = undefined
    }
  }, [history, isDirty, place])
}

function isLosing({ currentLocation, nextLocation, action }: Going): boolean {
  const isElsewhere = currentLocation.pathname !== nextLocation.pathname
  return [...places].some(({ place }) => {
    if (place === 'dialog') return action !== 'PUSH' && action !== 'REPLACE'
    return place === 'view' || isElsewhere
  })
}

/** Does what closes a form of the page; asks before where something would be lost. */
export function closing(act: () => void): void {
  if (places.size === 0) act()
  else void mayDiscard().then((discards) => discards && act())
}

/** Asks whether changes may be lost. */
export function mayDiscard(): Promise<boolean> {
  asked ??= ask().finally(() => {
    asked = undefined
  })
  return asked
}

async function ask(): Promise<boolean> {
  const { DiscardQuestion } = await import('./discard-question.tsx')
  return new Promise((resolve) => {
    const hide = showOnTop(
      createElement(DiscardQuestion, {
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
