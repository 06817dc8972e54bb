/** The source of a secondary zone: name servers with their ports and keys. */
import { typedNumber } from '../../lib/typed-number.ts'
import type { Submission } from '../../pages/shared/submit.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { zones as w } from './words.ts'
import styles from './zones.module.css'

const algorithms = ['none', 'hmac-sha256', 'hmac-sha1', 'hmac-md5'] as const
const mostPrimaries = 10

export interface PrimaryDraft {
  /** Tells drafts apart while they are edited. */
  readonly key: number
  readonly address: string
  readonly port: string
  readonly algorithm: (typeof algorithms)[number]
  readonly secret: string
}

let last = 0

export function newPrimary(given: Partial<PrimaryDraft> = {}): PrimaryDraft {
  return { address: '', port: '53', algorithm: 'none', secret: '', ...given, key: ++last }
}

export function primariesOf(drafts: readonly PrimaryDraft[]) {
  return drafts.map(({ address, port, algorithm, secret }) => ({
    address: address.trim(),
    ...(port.trim() ? { port: typedNumber(port) } : {}),
    ...(algorithm === 'none' ? {} : { tsig_algorithm: algorithm, tsig_key: secret.trim() }),
  }))
}

interface PrimariesFieldProps {
  readonly value: readonly PrimaryDraft[]
  readonly onChange: (drafts: readonly PrimaryDraft[]) => void
  readonly form: Submission
}

export function PrimariesField({ value, onChange, form }: PrimariesFieldProps) {
  const change = (key: number, part: Partial<PrimaryDraft>) =>
    onChange(value.map((one) => (one.key === key ? { ...one, ...part } : one)))
  return (
    <fieldset className="stack">
      <legend>{w.primaries}</legend>
      {value.map(({ key, address, port, algorithm, secret }, index) => (
        <div key={key} className={styles.parts}>
          <TextField
            label={w.address}
            isMono
            value={address}
            problems={
              form.problems(`primary_nameservers[${index}].address`) ?? form.problems(`primary_nameservers[${index}]`)
            }
            onChange={(text) => change(key, { address: text })}
          />
          <TextField
            label={w.port}
            inputMode="numeric"
            value={port}
            problems={form.problems(`primary_nameservers[${index}].port`)}
            onChange={(text) => change(key, { port: text })}
          />
          <SelectField
            label={w.tsig}
            value={algorithm}
            options={algorithms.map((one) => ({ value: one, label: one === 'none' ? w.noTsig : one }))}
            onChange={(one) => change(key, { algorithm: one })}
          />
          {algorithm !== 'none' && (
            <TextField
              label={w.tsigKey}
              isMono
              value={secret}
              problems={form.problems(`primary_nameservers[${index}].tsig_key`)}
              onChange={(text) => change(key, { secret: text })}
            />
          )}
          {value.length > 1 && (
            <IconButton
              icon="trash"
              label={w.removePrimary(address || String(index + 1))}
              onClick={() => onChange(value.filter((one) => one.key !== key))}
            />
          )}
        </div>
      ))}
      {value.length < mostPrimaries && (
        <span>
          <Button small icon="plus" onClick={() => onChange([...value, newPrimary()])}>
            {w.addPrimary}
          </Button>
        </span>
      )}
    </fieldset>
  )
}
