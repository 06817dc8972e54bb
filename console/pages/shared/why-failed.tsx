/** The reason why an action failed; its words are loaded when one did. */
import { lazy, Suspense } from 'react'

interface WhyFailedProps {
  readonly error: { readonly code: string; readonly message: string }
}

const Text = lazy(async () => {
  const { failureText } = await import('../../lib/action-failures.ts')
  return { default: ({ error }: WhyFailedProps) => failureText(error) }
})

export function WhyFailed({ error }: WhyFailedProps) {
  return (
    <>
      <Suspense>
        <Text error={error} />
      </Suspense>{' '}
      <span className="faint mono">{error.code}</span>
    </>
  )
}
