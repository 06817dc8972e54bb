/** Can A reach B on a port? A form whose answer names the deciding rule, and changes while it is written. */
import { useId } from 'react'
import { TextField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { reach as w } from '../../words/reach.ts'
import { answer, readEnds, readPort, type Server, type ServerPlace, type Source, type World } from './decide.ts'
import styles from './reach.module.css'
import { answerText } from './sentences.ts'
import type { Places } from './sources.ts'

/** The texts of the form, which are those of the address. */
export interface Asked {
  readonly from: string
  readonly to: string
  readonly port: string
}

interface QuestionProps {
  readonly asked: Asked
  readonly onChange: (asked: Asked) => void
  readonly world: World
  readonly places: Places
  /** The target is what the page is about. */
  readonly isTargetFixed?: boolean
}

export function QuestionForm({ asked, onChange, world, places, isTargetFixed = false }: QuestionProps) {
  const { servers } = world
  const id = useId()
  const { from, to } = readEnds(asked, servers)
  const port = readPort(asked.port)
  const problem = (text: string, isKnown: boolean, message: string) => (text !== '' && !isKnown ? [message] : undefined)
  return (
    <div className="stack">
      <div className={styles.question}>
        <TextField
          label={w.can}
          list={`${id}-from`}
          value={asked.from}
          placeholder={w.fromHint}
          problems={problem(asked.from, from !== undefined, w.wrongFrom)}
          onChange={(next) => onChange({ ...asked, from: next })}
        />
        {!isTargetFixed && (
          <TextField
            label={w.reach}
            list={`${id}-to`}
            value={asked.to}
            placeholder={w.toHint}
            problems={problem(asked.to, to !== undefined, w.wrongTo)}
            onChange={(next) => onChange({ ...asked, to: next })}
          />
        )}
        <TextField
          label={w.on}
          list={`${id}-port`}
          isMono
          value={asked.port}
          placeholder="tcp/443"
          problems={problem(asked.port, port !== undefined, w.wrongPort)}
          onChange={(next) => onChange({ ...asked, port: next })}
        />
      </div>
      <datalist id={`${id}-from`}>
        <option value="internet">{w.theInternet}</option>
        <ServerOptions servers={servers} />
      </datalist>
      <datalist id={`${id}-to`}>
        <ServerOptions servers={servers} />
      </datalist>
      <datalist id={`${id}-port`}>
        {['tcp/22', 'tcp/80', 'tcp/443', 'tcp/5432', 'udp/53', 'icmp'].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <div role="status">
        {from && to && port && <Verdict {...{ from, to, port, world, places }} />}
        {from && !to && to === undefined && asked.to === '' && <p className="faint">{w.askTarget}</p>}
      </div>
    </div>
  )
}

interface VerdictProps {
  readonly from: Source
  readonly to: ServerPlace
  readonly port: NonNullable<ReturnType<typeof readPort>>
  readonly world: World
  readonly places: Places
}

function Verdict({ from, to, port, world, places }: VerdictProps) {
  const found = answer({ from, to, ...port }, world)
  const networkName = (id: number) => places.networks.find((network) => network.id === id)?.name ?? String(id)
  const [verdict, reason] = answerText(found, to.server.name, networkName)
  const isOpen = found.isReachable && found.by === 'nothing' && from.kind === 'internet'
  return (
    <Note mood={isOpen ? 'warn' : found.isReachable ? 'busy' : undefined} sign={isOpen}>
      <b>{verdict}</b> {reason}
    </Note>
  )
}

function ServerOptions({ servers }: { readonly servers: readonly Server[] }) {
  return servers.slice(0, 200).map(({ id, name, public_net }) => (
    <option key={id} value={name}>
      {public_net.ipv4?.ip}
    </option>
  ))
}
