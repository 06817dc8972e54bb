/** The columns of the list of tokens. */
import { State } from '../../ui/state.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { access } from '../../words/access.ts'
import { ago } from '../../words/format.ts'
import { grantsOf, type Token } from './scope.ts'

const w = access.tokens
/** An expiry this near is shown as something to look after. */
const soonMs = 7 * 86_400_000

export function tokenColumns(tokens: readonly Token[]): readonly Column<Token>[] {
  return [
    {
      key: 'name',
      label: w.name,
      card: 'key',
      cell: (token) => (
        <>
          <span className={nameClass}>{token.name}</span>
          {notesOf(token, tokens).map((note) => (
            <small key={note}>{note}</small>
          ))}
        </>
      ),
    },
    { key: 'tail', label: w.tail, isMono: true, isNarrow: true, cell: ({ ends_with: tail }) => `…${tail}` },
    {
      key: 'may',
      label: w.may,
      card: 'sub',
      cell: ({ access, scope }) => (
        <>
          {w.accesses[access]}
          {grantsOf(scope) && <small>{grantsOf(scope)}</small>}
        </>
      ),
    },
    { key: 'by', label: w.by, rank: 2, cell: ({ created_by: by }) => by?.name ?? w.byOperator },
    {
      key: 'used',
      label: w.lastUsed,
      card: 'stat',
      isNarrow: true,
      cell: ({ last_used: used }) => (
        <span className="dim">
          <span className="only-card">{w.lastUsed} </span>
          {used ? <Ago time={used} /> : w.never}
        </span>
      ),
    },
    { key: 'expires', label: w.expires, isNarrow: true, cell: ({ expires }) => <Expiry at={expires} /> },
  ]
}

/** Returns the notes on a token, such as which one it replaces. */
function notesOf(token: Token, all: readonly Token[]): readonly string[] {
  const old = all.find(({ id }) => id === token.rotates)
  const next = all.find(({ rotates }) => rotates === token.id)
  return [
    ...(token.given ? [w.given] : []),
    ...(old ? [w.replaces(old.ends_with)] : []),
    ...(next ? [w.replacedBy(next.ends_with)] : []),
  ]
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="dim">{w.never}</span>
  const left = Date.parse(at) - Date.now()
  if (left <= 0) return <State mood="bad">{w.expired}</State>
  return left < soonMs ? <State mood="warn">{ago(at)}</State> : <Ago time={at} />
}
