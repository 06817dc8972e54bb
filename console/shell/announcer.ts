/**
 * A new page is like a new document: its heading takes the focus and its title is read out. Nothing happens when only
 * the query of the address changes, as by a filter.
 */
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { focusTitle } from '../ui/focus-title.ts'

export function useAnnouncer(): string {
  const router = useRouter()
  const [title, setTitle] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        // The page sets its title in an effect of its own.
        setTimeout(() => {
          setTitle(document.title)
          focusTitle()
        })
      }),
    [router],
  )
  return title
}
