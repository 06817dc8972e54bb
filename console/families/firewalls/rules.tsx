/** The rules of a firewall: the editor, what would change, and who could then reach what. */
import type { ApiRequest } from '../../api/operations.ts'
import type { Places } from '../../pages/reach/sources.ts'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { MenuOf } from '../../ui/menu.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { Changes } from './changes.tsx'
import { bodyOf, contentOf } from './draft.ts'
import { DraftReach } from './draft-reach.tsx'
import { EditorFrame } from './editor-frame.tsx'
import { type Firewall, serversUnder } from './firewall.ts'
import { RuleTable } from './rule-table.tsx'
import { type RulesEditor, useRules } from './use-rules.ts'
import { firewalls as w } from './words.ts'

interface RulesTabProps {
  readonly firewall: Firewall
  readonly firewalls: readonly Firewall[]
  readonly places: Places
  readonly isGone: boolean
}

export function RulesTab({ firewall, firewalls, places, isGone }: RulesTabProps) {
  const reason = useReason('firewalls_setRules')
  const editor = useRules(firewall.rules)
  const servers = serversUnder(firewall, places.servers)
  const request: ApiRequest<'firewalls_setRules'> = {
    operation: 'firewalls_setRules',
    params: { id: firewall.id },
    body: { rules: bodyOf(editor.drafts) },
  }
  const { isBusy, cause, send } = useRequest({
    request,
    families: ['firewalls', 'servers'],
    done: () => editor.applied(editor.drafts),
  })
  useUnsaved(editor.isDirty && !isGone && !isBusy)
  return (
    <EditorFrame
      side={
        <Changes
          editor={editor}
          onView={() => editor.take(firewall.rules)}
          serverNames={servers.map(({ name }) => name)}
          request={request}
          isBusy={isBusy}
          cause={cause}
          reason={reason}
          onApply={send}
        />
      }
      reach={<DraftReach name={firewall.name} {...{ firewall, editor, servers, places }} />}
    >
      <RuleTable
        editor={editor}
        servers={places.servers}
        reason={reason}
        more={<CopyFrom others={firewalls.filter(({ id }) => id !== firewall.id)} editor={editor} />}
      />
    </EditorFrame>
  )
}

/** Takes over the rules of another firewall, as drafts. */
function CopyFrom({ others, editor }: { readonly others: readonly Firewall[]; readonly editor: RulesEditor }) {
  if (others.length === 0) return null
  return (
    <MenuOf
      label={w.copyFrom}
      align="end"
      entries={() =>
        others.map((firewall) => ({
          key: String(firewall.id),
          label: firewall.name,
          aside: w.ruleCount(firewall.rules.length),
          onSelect: () => void editor.add(firewall.rules.map(contentOf)),
        }))
      }
    >
      {(button) => (
        <Button small look="quiet" {...button}>
          {w.copyFrom}
        </Button>
      )}
    </MenuOf>
  )
}
