/** A new token, which is shown this once, with how to use it. */
import type { ReplyFor } from '../../api/operations.ts'
import { sh } from '../../commands/shell.ts'
import { blockText, Expression } from '../../commands/terraform/hcl.ts'
import { providerBlock } from '../../commands/terraform/provider.ts'
import { apiForPrograms, exportedEndpoints } from '../../lib/endpoint.ts'
import { CommandLine } from '../../ui/copy.tsx'
import { type Command, Night } from '../../ui/night.tsx'
import { access } from '../../words/access.ts'
import { OnceDialog } from '../shared/once-dialog.tsx'
import { grantsOf } from './scope.ts'

const w = access.tokens

interface SecretDialogProps {
  readonly made: ReplyFor<'management_createToken'>
  readonly project: string
  readonly onClose: () => void
}

export function SecretDialog({ made: { token, secret }, project, onClose }: SecretDialogProps) {
  return (
    <OnceDialog
      title={w.newTitle(token.name)}
      text={[w.newText(w.accesses[token.access], project), grantsOf(token.scope)].filter(Boolean).join(' ')}
      isWide
      storedAside={w.storedAside}
      onClose={onClose}
      footer={<span className="faint">{w.lost}</span>}
    >
      <CommandLine text={secret} />
      <Night commands={snippets(contextOf(token.name))} footer={w.history} />
    </OnceDialog>
  )
}

/** A name that a shell takes as it is. */
function contextOf(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'wolke'
}

function snippets(context: string): readonly Command[] {
  const api = apiForPrograms(window.location)
  const exported = exportedEndpoints(api)
  const variable = blockText(['variable', 'hcloud_token'], {
    attributes: { type: new Expression('string'), sensitive: true },
  })
  return [
    { client: 'hcloud', text: [exported, sh`hcloud context create ${context}`, 'hcloud server list'].join('\n') },
    { client: 'env', text: `${exported}\nread -rs HCLOUD_TOKEN && export HCLOUD_TOKEN` },
    { client: 'Terraform', text: `${providerBlock(api, 'var.hcloud_token')}\n\n${variable}` },
  ]
}
