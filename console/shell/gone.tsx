/** Something was deleted elsewhere while its page was open: the page stays, and says so. */
import { type UseSuspenseQueryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toFailure } from '../api/failure.ts'
import { Note } from '../ui/note.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'

const w = wordsOf('shell', shell).states

/** A reply that stays as it was when what it is about is gone. */
export function useOne<Data, Key extends readonly unknown[]>(
  query: UseSuspenseQueryOptions<Data, Error, Data, Key>,
): { readonly data: Data; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(query)
  return { data, isGone: error !== null && toFailure(error).status === 404 }
}

export function GoneNote({ name, children }: { readonly name: string; readonly children?: ReactNode }) {
  return (
    <Note mood="warn" isNews>
      {w.gone(name)} {children}
    </Note>
  )
}
