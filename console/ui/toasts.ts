/** The news that are shown now. */
import type { ReactNode } from 'react'
import { createStore } from '../lib/store.ts'
import type { Mood } from './state.tsx'

export interface Toast {
  readonly id: number
  readonly mood: Mood
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly action?: ReactNode
}

export const toasts = createStore<readonly Toast[]>([])
let last = 0

/** Says something about what is out of sight. */
export function toast(news: Omit<Toast, 'id'>): void {
  toasts.set([...toasts.get().slice(-3), { ...news, id: ++last }])
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}
