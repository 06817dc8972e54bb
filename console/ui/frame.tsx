/** Wraps every part of Base UI: no style elements, which the content security policy refuses. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import type { ReactNode } from 'react'

export function Frame({ children }: { readonly children: ReactNode }) {
  return <CSPProvider disableStyleElements>{children}</CSPProvider>
}
