/** Passwords that were made or set, which are shown this once. */
import { CommandLine } from '../../ui/copy.tsx'
import { resources as r } from '../../words/resources.ts'
import { OnceDialog } from './once-dialog.tsx'

/** A password, and what or whom it lets in. */
export interface Password {
  readonly name: string
  readonly password: string
}

interface PasswordsProps {
  readonly title: string
  readonly passwords: readonly Password[]
  readonly onClose: () => void
}

export function PasswordsDialog({ title, passwords, onClose }: PasswordsProps) {
  return (
    <OnceDialog title={title} text={r.shownOnce} count={passwords.length} onClose={onClose}>
      {passwords.map(({ name, password }) => (
        <div key={name} className="stack">
          {passwords.length > 1 && <b>{name}</b>}
          <CommandLine text={password} />
        </div>
      ))}
    </OnceDialog>
  )
}
