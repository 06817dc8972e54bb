/** A mail address. What cannot be one is said once it is written, not at its first letter. */
import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { forms as f } from '../../words/forms.ts'

interface MailFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly autoFocus?: boolean
  readonly readOnly?: boolean
  readonly problems: readonly string[] | undefined
}

export function MailField({ problems, ...field }: MailFieldProps) {
  const [isWritten, written] = useState(false)
  const isWrong = isWritten && field.value.trim() !== '' && !isAddress(field.value.trim())
  return (
    <TextField
      {...field}
      type="email"
      maxLength={254}
      problems={isWrong ? [f.noAddress] : problems}
      onBlur={() => written(true)}
      onKeyDown={({ key }) => key === 'Enter' && written(true)}
    />
  )
}

/** Returns whether a text can be the mail address of somebody; the server decides. */
export function isAddress(text: string): boolean {
  return /^[^@\s]+@[^@\s]+$/.test(text)
}
