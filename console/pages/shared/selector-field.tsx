/** A label selector with the servers that it matches now, while it is written. */
import { useMemo } from 'react'
import { matches, parseSelector } from '../../../src/kernel/contract/selectors.ts'
import type { Server } from '../../families/servers/server.ts'
import { TextField } from '../../ui/field.tsx'
import { list } from '../../words/format.ts'
import { resources as w } from '../../words/resources.ts'

/** Returns why a text is no selector, in the words of the API. */
export function selectorProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const result = parseSelector(text.trim())
  return result.ok ? undefined : result.message
}

interface SelectorProps {
  readonly value: string
  readonly problem: string | undefined
  readonly servers: readonly Server[]
  readonly onChange: (text: string) => void
}

export function SelectorField({ value, problem, servers, onChange }: SelectorProps) {
  const matched = useMemo(() => {
    const result = parseSelector(value.trim())
    if (value.trim() === '' || !result.ok) return []
    return servers.filter(({ labels }) => matches(result.selector, labels)).map(({ name }) => name)
  }, [value, servers])
  return (
    <>
      <TextField
        label={w.selector}
        isMono
        value={value}
        placeholder="role=web"
        problems={problem ? [problem] : undefined}
        onChange={onChange}
      />
      <p className="faint" role="status">
        {value.trim() !== '' && !problem && w.matchesNames(matched.length, list(matched, w.moreNames))}
      </p>
    </>
  )
}
