/** Adding a key that is there already, or making one: then the private key stays with the reader. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { sh } from '../../commands/shell.ts'
import { useSubmission } from '../../pages/shared/submit.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { AreaField, TextField } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { Note } from '../../ui/note.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Seg } from '../../ui/seg.tsx'
import { common as c } from '../../words/common.ts'
import { canGenerate, generateKeyPair, type SshKeyPair } from './generate.ts'
import { sshKeys as w } from './words.ts'

interface Made {
  readonly name: string
  readonly pair: SshKeyPair
}

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  return made ? <Stored {...made} onClose={onClose} /> : <Form onMade={setMade} onClose={onClose} />
}

interface FormProps {
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}

function Form({ onMade, onClose }: FormProps) {
  const api = useApi()
  const outdate = useOutdate()
  const [how, setHow] = useState<'paste' | 'generate'>('paste')
  const [name, setName] = useState('')
  const [publicKey, setPublicKey] = useState('')
  const isPasted = how === 'paste'
  const requestFor = (key: string): ApiRequest<'ssh_keys_create'> => ({
    operation: 'ssh_keys_create',
    body: { name: name.trim(), public_key: key },
  })
  const form = useSubmission(async () => {
    const pair = isPasted ? undefined : await generateKeyPair(name.trim())
    const { operation, ...input } = requestFor(pair?.publicKey ?? publicKey.trim())
    await api.call(operation, input)
    await outdate('ssh_keys')
    if (!pair) return onClose()
    saveFile(fileOf(name), pair.privateKey)
    onMade({ name, pair })
  })
  // The comment of a key is mostly a good name for it.
  const paste = (text: string) => {
    setPublicKey(text)
    const comment = text.trim().split(/\s+/).slice(2).join(' ')
    if (name === '' && comment) setName(comment)
  }
  return (
    <Dialog
      title={w.add}
      onClose={onClose}
      onSubmit={form.send}
      isWide
      footer={
        <FormFooter
          onClose={onClose}
          act={isPasted ? w.add : w.generateAct}
          isBusy={form.isBusy}
          isReady={name.trim() !== '' && (isPasted ? publicKey.trim() !== '' : canGenerate())}
        />
      }
    >
      <Seg
        label={w.how}
        value={how}
        options={[
          { value: 'paste', label: w.paste },
          { value: 'generate', label: w.generate },
        ]}
        onChange={setHow}
      />
      <TextField label={c.name} value={name} onChange={setName} problems={form.problems('name')} />
      {isPasted ? (
        <>
          <AreaField
            label={w.publicKey}
            hint={w.publicKeyHint}
            isMono
            value={publicKey}
            onChange={paste}
            problems={form.problems('public_key')}
          />
          <Commands request={requestFor(publicKey.trim())} />
        </>
      ) : (
        <Note mood={canGenerate() ? undefined : 'warn'}>{canGenerate() ? w.generateText : w.cannotGenerate}</Note>
      )}
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}

/** It cannot be left by accident: there is no second copy of the private key. */
function Stored({ name, pair, onClose }: Made & { readonly onClose: () => void }) {
  const file = fileOf(name)
  return (
    <Dialog
      title={w.storedTitle(name)}
      text={w.storedText(file)}
      isLeavable={false}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button icon="download" onClick={() => saveFile(file, pair.privateKey)}>
            {w.downloadAgain}
          </Button>
          <span className="end">
            <Button look="primary" onClick={onClose}>
              {w.iHaveIt}
            </Button>
          </span>
        </>
      }
    >
      <CommandLine text={sh`mv ~/Downloads/${file} ~/.ssh/ && chmod 600 ~/.ssh/${file}`} />
      <CommandLine text={sh`ssh -i ~/.ssh/${file} root@ADDRESS`} />
    </Dialog>
  )
}

function fileOf(name: string): string {
  return `${
    name
      .trim()
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '') || 'id'
  }_ed25519`
}
