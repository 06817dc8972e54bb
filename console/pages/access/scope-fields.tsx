/** Chooses what a token may do: families, acts, and the labels of the resources that it sees. */
import { parseSelector } from '../../../src/kernel/contract/selectors.ts'
import { familyName } from '../../lib/api-names.ts'
import { Check } from '../../ui/check.tsx'
import { TextField } from '../../ui/field.tsx'
import { access } from '../../words/access.ts'
import { commands, families } from './grantable.ts'
import { type GeneralVerb, generalVerbs, grantsOf, type Scope } from './scope.ts'
import styles from './tokens.module.css'

const w = access.tokens

/** A scope as it is being written. */
interface ScopeDraft {
  readonly families: readonly string[]
  readonly verbs: readonly GeneralVerb[]
  readonly commands: string
  readonly selector: string
}

export const emptyScope: ScopeDraft = { families: [], verbs: [], commands: '', selector: '' }

const split = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** The scope of a draft. */
export function scopeOf({ families, verbs, commands, selector }: ScopeDraft): Scope {
  const all = [...verbs, ...split(commands)]
  return {
    ...(families.length > 0 ? { families: [...families] } : {}),
    ...(all.length > 0 ? { verbs: all } : {}),
    ...(selector.trim() ? { label_selector: selector.trim() } : {}),
  }
}

/** Returns the problems of a draft, by field. */
export function scopeProblems(draft: ScopeDraft): { readonly commands?: string[]; readonly selector?: string[] } {
  const unknown = split(draft.commands).filter((name) => !commands.has(name))
  const selector = draft.selector.trim() ? parseSelector(draft.selector.trim()) : undefined
  return {
    ...(unknown.length > 0 ? { commands: unknown.map(w.unknownCommand) } : {}),
    ...(selector && !selector.ok ? { selector: [selector.message] } : {}),
  }
}

interface ScopeFieldsProps {
  readonly value: ScopeDraft
  readonly onChange: (draft: ScopeDraft) => void
}

const toggled = <Part extends string>(all: readonly Part[], part: Part, on: boolean): Part[] =>
  on ? [...all, part] : all.filter((one) => one !== part)

export function ScopeFields({ value, onChange }: ScopeFieldsProps) {
  const problems = scopeProblems(value)
  return (
    <div className="stack-l">
      <Choices
        title={w.families}
        hint={w.familiesHint}
        options={families.map((family) => [family, familyName(family)])}
        chosen={value.families}
        onToggle={(family, on) => onChange({ ...value, families: toggled(value.families, family, on) })}
      />
      <Choices
        title={w.verbs}
        options={generalVerbs.map((verb) => [verb, w.verbNames[verb]])}
        chosen={value.verbs}
        onToggle={(verb, on) => onChange({ ...value, verbs: toggled(value.verbs, verb, on) })}
      />
      <TextField
        label={w.commands}
        hint={w.commandsHint}
        isMono
        value={value.commands}
        onChange={(text) => onChange({ ...value, commands: text })}
        problems={problems.commands}
      />
      <TextField
        label={w.selector}
        hint={w.selectorHint}
        isMono
        value={value.selector}
        onChange={(selector) => onChange({ ...value, selector })}
        problems={problems.selector}
      />
      <p className={styles.grants} role="status">
        {grantsOf(scopeOf(value)) ?? w.grants(undefined, undefined, undefined)}
      </p>
    </div>
  )
}

interface ChoicesProps<Value extends string> {
  readonly title: string
  readonly hint?: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly chosen: readonly Value[]
  readonly onToggle: (value: Value, on: boolean) => void
}

function Choices<Value extends string>({ title, hint, options, chosen, onToggle }: ChoicesProps<Value>) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div className={styles.choices}>
        {options.map(([value, label]) => (
          <Check key={value} checked={chosen.includes(value)} onChange={(on) => onToggle(value, on)}>
            {label}
          </Check>
        ))}
      </div>
      {hint && <p className="faint">{hint}</p>}
    </fieldset>
  )
}
