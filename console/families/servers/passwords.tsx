/** Root passwords, shown once. */
import { type Password, PasswordsDialog } from '../../pages/shared/passwords-dialog.tsx'
import { newServer as w } from './new.words.ts'

interface PasswordsProps {
  readonly passwords: readonly Password[]
  readonly onClose: () => void
}

export function Passwords({ passwords, onClose }: PasswordsProps) {
  const [first, ...others] = passwords
  const title = first && others.length === 0 ? w.passwordOf(first.name) : w.passwords
  return <PasswordsDialog title={title} passwords={passwords} onClose={onClose} />
}
