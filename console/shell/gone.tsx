/** Something was deleted elsewhere while its page was open: the page stays, says so, and leads back. */

import { type UseSuspenseQueryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toFailure } from '../api/failure.ts'
import { ButtonLink } from '../ui/button.tsx'
import type { Target } from '../ui/link.tsx'
import { Note } from '../ui/note.tsx'
import { pageStates as w } from '../words/page-states.ts'
import { pageIsGone } from './may.ts'

/** A reply that stays as it was when what it is about is gone. Nothing can be done on its page then. */
export function useOne<Data, Key extends readonly unknown[]>(
  query: UseSuspenseQueryOptions<Data, Error, Data, Key>,
): { readonly data: Data; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(query)
  const isGone = error !== null && toFailure(error).status === 404
  useEffect(() => {
    if (!isGone) return
    pageIsGone.set(true)
    return () => pageIsGone.set(false)
  }, [isGone])
  return { data, isGone }
}

interface GoneProps {
  readonly name: string
  /** The way back: the list that it was in. */
  readonly back: { readonly label: string; readonly link: Target }
}

export function GoneNote({ name, back }: GoneProps) {
  return (
    <Note mood="warn" isNews>
      {w.gone(name)}{' '}
      <ButtonLink small {...back.link}>
        {back.label}
      </ButtonLink>
    </Note>
  )
}
