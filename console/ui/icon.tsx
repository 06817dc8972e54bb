/** An icon of the sprite, which index.html carries. Decoration: the words beside it say the same. */
import type { IconName } from '../generated/icons.ts'

export type { IconName } from '../generated/icons.ts'

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  )
}
