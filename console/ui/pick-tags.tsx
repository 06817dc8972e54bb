/** Choosing some of what there is, by name: chosen ones are tags, the others are in a menu. */
import { common as w } from '../words/common.ts'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { MenuOf } from './menu.tsx'
import styles from './tag.module.css'
import { Tag, Tags } from './tag.tsx'

interface Option {
  readonly id: number
  readonly name: string
  readonly aside?: string | undefined
  /** The reason why it cannot be chosen, or no longer. */
  readonly obstacle?: string | undefined
}

interface PickTagsProps {
  readonly label: string
  readonly options: readonly Option[]
  readonly value: readonly number[]
  readonly onChange: (ids: readonly number[]) => void
  /** The text where nothing is chosen and there is nothing to choose from. */
  readonly none: string
}

export function PickTags({ label, options, value, onChange, none }: PickTagsProps) {
  const left = options.filter(({ id, obstacle }) => !value.includes(id) && obstacle === undefined)
  if (value.length === 0 && left.length === 0) return <p className="faint">{none}</p>
  return (
    <Tags>
      {value.map((id) => {
        // A choice deleted elsewhere stays until it is taken off: nothing else would be chosen unnoticed.
        const { name, obstacle } = options.find((one) => one.id === id) ?? { name: `#${id}`, obstacle: w.isGone }
        return (
          <Tag
            key={id}
            name={name}
            tone={obstacle === undefined ? undefined : 'open'}
            onRemove={() => onChange(value.filter((one) => one !== id))}
          >
            {obstacle === undefined ? name : `${name} ${obstacle}`}
          </Tag>
        )
      })}
      {left.length > 0 && (
        <MenuOf
          label={label}
          entries={() =>
            left.map(({ id, name, aside }) => ({
              key: String(id),
              label: name,
              aside,
              onSelect: () => onChange([...value, id]),
            }))
          }
        >
          {(button) => (
            <button type="button" className={cx(styles.tag, styles.new)} aria-label={`${w.add}: ${label}`} {...button}>
              <Icon name="plus" />
              {w.add}
            </button>
          )}
        </MenuOf>
      )}
    </Tags>
  )
}
