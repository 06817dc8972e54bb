/** Uploading a certificate: what it says is shown before it is sent. */
import { useMemo, useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { FilePick } from '../../pages/shared/file-pick.tsx'
import { FormPage } from '../../pages/shared/form-page.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Card, Facts } from '../../ui/card.tsx'
import { AreaField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { Note } from '../../ui/note.tsx'
import { common as c } from '../../words/common.ts'
import { exactTime } from '../../words/format.ts'
import { ChainList } from './chain.tsx'
import { certificates as w } from './words.ts'
import { type Chain, privateKeyKind, readChain } from './x509.ts'

export function UploadPage() {
  const go = useGo()
  const [name, setName] = useState('')
  const [pem, setPem] = useState('')
  const [privateKey, setPrivateKey] = useState('')
  const [labels, setLabels] = useState<LabelMap>({})
  const chain = useMemo(() => (pem.trim() ? readChain(pem) : undefined), [pem])
  const request: ApiRequest<'certificates_create'> = {
    operation: 'certificates_create',
    body: {
      name,
      type: 'uploaded',
      certificate: pem,
      private_key: privateKey,
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  const form = useRequest({
    request,
    families: ['certificates'],
    done: ({ certificate }) => go(linkTo('certificates', 'one', { id: certificate.id })),
  })
  const take = (text: string) => {
    setPem(text)
    const read = readChain(text)
    if (name === '' && 'links' in read) setName(read.links[0]?.names[0] ?? read.links[0]?.subject ?? '')
    // Some programs write both into one file.
    const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----\n?/.exec(text)?.[0]
    if (key) {
      setPem(text.replace(key, ''))
      setPrivateKey(key)
    }
  }
  return (
    <FormPage
      title={w.uploadTitle}
      crumbs={[{ label: w.title, link: linkTo('certificates', 'list') }]}
      form={form}
      act={w.uploadAct}
      reason={useReason('certificates_create')}
      isReady={name !== '' && pem !== '' && privateKey !== ''}
      cancel={linkTo('certificates', 'list')}
      request={request}
      aside={<Preview chain={chain} privateKey={privateKey} />}
    >
      <TextField label={c.name} value={name} onChange={setName} problems={form.problems('name')} />
      <AreaField
        label={w.chain}
        hint={w.chainHint}
        isMono
        rows={8}
        value={pem}
        onChange={take}
        problems={form.problems('certificate')}
      />
      <FilePick label={w.chooseChain} accept=".pem,.crt,.cer" onText={take} />
      <AreaField
        label={w.privateKey}
        hint={w.privateKeyHint}
        isMono
        rows={6}
        autoComplete="off"
        value={privateKey}
        onChange={setPrivateKey}
        problems={form.problems('private_key')}
      />
      <FilePick label={w.chooseKey} accept=".pem,.key" onText={setPrivateKey} />
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
    </FormPage>
  )
}

function Preview({ chain, privateKey }: { readonly chain: Chain | undefined; readonly privateKey: string }) {
  if (!chain) return <p className="dim">{w.previewNone}</p>
  if ('problem' in chain) return <Note mood="warn">{w.unreadable[chain.problem]}</Note>
  const [leaf] = chain.links
  if (!leaf) return null
  const kind = privateKeyKind(privateKey)
  return (
    <div className="stack">
      {Date.parse(leaf.until) < Date.now() && <Note mood="bad">{w.endedAlready}</Note>}
      {leaf.names.length === 0 && <Note mood="warn">{w.withoutNames}</Note>}
      {kind === 'encrypted' && <Note mood="bad">{w.encryptedKey}</Note>}
      {privateKey.trim() !== '' && kind === undefined && <Note mood="warn">{w.noKey}</Note>}
      <Facts
        rows={[
          [w.domains(leaf.names.length), leaf.names.slice(0, 5).join(', ')],
          [w.from, exactTime(leaf.from)],
          [w.until, exactTime(leaf.until)],
          [w.key, leaf.key ?? w.otherKey],
        ]}
      />
      <Card title={w.chain}>
        <ChainList links={chain.links} />
      </Card>
    </div>
  )
}
