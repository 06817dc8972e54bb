/** A choice in the line above a list, without a label in view. */
import { SelectField } from '../../ui/field.tsx'
import styles from './activity.module.css'

interface PickSelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}

export function PickSelect<Value extends string>(props: PickSelectProps<Value>) {
  return (
    <div className={styles.pick}>
      <SelectField {...props} isLabelHidden />
    </div>
  )
}
