/** The commands beside a form; long ones scroll in their own place. */
import type { AnyRequest } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import styles from './equivalents.module.css'

interface EquivalentsProps {
  /** The very value that the button sends. */
  readonly request: AnyRequest | readonly AnyRequest[]
  /** The labels that the resource has now, for clients that change them one by one. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
}

export function Equivalents(props: EquivalentsProps) {
  return (
    <div className={styles.commands}>
      <Commands {...props} />
    </div>
  )
}
