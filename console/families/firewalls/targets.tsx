/** The choice of what a new firewall applies to. */
import { useState } from 'react'
import { SelectorField, selectorProblem } from '../../pages/shared/selector-field.tsx'
import { ServerPicker } from '../../pages/shared/server-picker.tsx'
import { Button } from '../../ui/button.tsx'
import { Tag, Tags } from '../../ui/tag.tsx'
import { forms as f } from '../../words/forms.ts'
import type { Server } from '../servers/server.ts'
import type { Target } from './firewall.ts'
import { firewallTargets as t } from './targets.words.ts'

interface TargetsProps {
  readonly targets: readonly Target[]
  readonly servers: readonly Server[]
  readonly onChange: (targets: readonly Target[]) => void
}

export function Targets({ targets, servers, onChange }: TargetsProps) {
  const [selector, setSelector] = useState('')
  const problem = selectorProblem(selector)
  const selectors = targets.flatMap(({ label_selector }) => (label_selector ? [label_selector.selector] : []))
  const ids = targets.flatMap(({ server }) => (server ? [server.id] : []))
  const change = (nextIds: readonly number[], nextSelectors: readonly string[]) =>
    onChange([
      ...nextIds.map((id): Target => ({ type: 'server', server: { id } })),
      ...nextSelectors.map((one): Target => ({ type: 'label_selector', label_selector: { selector: one } })),
    ])
  return (
    <>
      <ServerPicker servers={servers} chosen={ids} onChange={(next) => change(next, selectors)} />
      <SelectorField value={selector} problem={problem} servers={servers} onChange={setSelector} />
      <span className="row wrap">
        <Button
          small
          icon="plus"
          reason={selector.trim() === '' || problem !== undefined ? f.missing : undefined}
          onClick={() => {
            change(ids, [...new Set([...selectors, selector.trim()])])
            setSelector('')
          }}
        >
          {t.addSelector}
        </Button>
        <Tags>
          {selectors.map((one) => (
            <Tag
              key={one}
              name={one}
              onRemove={() =>
                change(
                  ids,
                  selectors.filter((other) => other !== one),
                )
              }
            >
              {one}
            </Tag>
          ))}
        </Tags>
      </span>
    </>
  )
}
