/** A password that is chosen or drawn, judged while typing. */
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { common as c } from '../../words/common.ts'
import { faultOf, newPassword } from './password.ts'
import { boxes as w } from './words.ts'

interface PasswordFieldProps {
  readonly value: string
  /** The server found these wrong with it. */
  readonly problems?: readonly string[] | undefined
  readonly onChange: (password: string) => void
}

export function PasswordField({ value, problems = [], onChange }: PasswordFieldProps) {
  const fault = value === '' ? undefined : faultOf(value)
  const own = fault === undefined || problems.includes(fault) ? [] : [fault]
  return (
    <div className="stack">
      <TextField
        label={w.password}
        hint={w.passwordHint}
        isMono
        value={value}
        problems={[...own, ...problems]}
        onChange={onChange}
      />
      <span className="row wrap">
        <Button small icon="refresh" onClick={() => onChange(newPassword())}>
          {w.generate}
        </Button>
        <CopyButton text={value} label={c.copyName(w.password)} />
      </span>
      <p className="dim" role="status">
        {value !== '' && fault === undefined && w.passwordFits(value.length)}
      </p>
    </div>
  )
}
