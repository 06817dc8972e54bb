/** Choosing servers of the Project, by typing a part of a name or an address. */
import { useId, useState } from 'react'
import { addressesOf, isAt, type Server } from '../../families/servers/server.ts'
import { Check } from '../../ui/check.tsx'
import { TextField } from '../../ui/field.tsx'
import { number } from '../../words/format.ts'
import { resources as w } from '../../words/resources.ts'
import styles from './server-picker.module.css'

const most = 8

interface PickerProps {
  readonly servers: readonly Server[]
  readonly chosen: readonly number[]
  readonly onChange: (ids: readonly number[]) => void
  /** One at most. */
  readonly isSingle?: boolean
  /** Returns why a server cannot be chosen. */
  readonly reasonFor?: (server: Server) => string | undefined
  readonly problems?: readonly string[] | undefined
}

export function ServerPicker({ servers, chosen, onChange, isSingle = false, reasonFor, problems }: PickerProps) {
  const [text, setText] = useState('')
  const group = useId()
  const asked = text.trim().toLowerCase()
  const fits = servers.filter(
    (server) =>
      asked === '' || [server.name, ...addressesOf(server)].some((part) => part.toLowerCase().includes(asked)),
  )
  const shown = [...fits].sort((a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id))).slice(0, most)
  return (
    <div className="stack">
      <TextField label={w.findServer} type="search" value={text} problems={problems} onChange={setText} />
      <fieldset className={styles.servers} aria-label={w.chooseServer}>
        {shown.map((server) => {
          const { id, name } = server
          const reason = reasonFor?.(server)
          return (
            <Check
              key={id}
              kind={isSingle ? 'radio' : 'checkbox'}
              name={group}
              checked={chosen.includes(id)}
              disabled={reason !== undefined}
              aside={reason ?? [isAt(server), addressesOf(server)[0]].filter(Boolean).join(' · ')}
              onChange={(on) => onChange(isSingle ? [id] : on ? [...chosen, id] : chosen.filter((one) => one !== id))}
            >
              {name}
            </Check>
          )
        })}
        {fits.length === 0 && <p className="faint">{w.noServerFits}</p>}
        {fits.length > most && <p className="faint">{w.moreServers(number(fits.length - most))}</p>}
      </fieldset>
    </div>
  )
}
