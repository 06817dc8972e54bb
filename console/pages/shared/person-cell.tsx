/** Somebody in a list: the name, and the address where there is a name. */
import { State } from '../../ui/state.tsx'
import { nameClass } from '../../ui/table.tsx'

interface PersonCellProps {
  readonly name: string
  readonly email: string
  /** The note on the person who looks at the list. */
  readonly you: string | false
  /** The note while nobody has shown that the address is theirs. */
  readonly unproven: string | false
}

export function PersonCell({ name, email, you, unproven }: PersonCellProps) {
  return (
    <>
      <span className={nameClass}>{name || email}</span>
      {you && <span className="faint"> · {you}</span>}
      {name && <small>{email}</small>}
      {unproven && (
        <small>
          <State mood="warn">{unproven}</State>
        </small>
      )}
    </>
  )
}
