/** The profile of a person, and the look of the console. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { BodyFor, ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { useStore } from '../../lib/store.ts'
import { currentDensity, setDensity, setLanguage, setTheme } from '../../shell/settings.ts'
import { shortcutsOn, switchShortcuts } from '../../shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Check } from '../../ui/check.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Columns } from '../../ui/page.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.ts'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { account as english } from '../../words/account.ts'
import { common as c } from '../../words/common.ts'
import { shell as frame } from '../../words/shell.ts'
import { language as shown } from '../../words/words.ts'
import { AccountFrame } from './frame.tsx'

const w = english.profile
const api = apiOf(undefined)

type Account = ReplyFor<'people_account'>['account']

interface Draft extends Pick<Account, 'name' | 'theme'> {
  readonly language: NonNullable<Account['language']> | 'auto'
}

export function ProfilePage() {
  const { data } = useSuspenseQuery(api.query('people_account', {}))
  const { account } = data
  return (
    <AccountFrame tab="profile">
      <Columns aside={<About account={account} />} label={w.person}>
        <ProfileForm account={account} />
        <BrowserCard />
      </Columns>
    </AccountFrame>
  )
}

function About({ account }: { readonly account: Account }) {
  return (
    <Card title={c.details} padded>
      <Facts
        rows={[
          [w.email, account.email],
          [w.role, w.installationRoles[account.installation_role]],
          [w.since, <Ago key="since" time={account.created} />],
          ['Id', <Copyable key="id" text={String(account.id)} />],
        ]}
      />
    </Card>
  )
}

function ProfileForm({ account }: { readonly account: Account }) {
  const outdate = useOutdate()
  const submit = useSubmit()
  const draft = useDraft<Draft>({
    name: account.name,
    language: account.language ?? 'auto',
    theme: account.theme,
  })
  const { name, language, theme } = draft.value
  useUnsaved(draft.isDirty && !submit.isBusy)
  const save = async () => {
    const body: BodyFor<'people_updateAccount'> = {
      ...(name.trim() ? { name: name.trim() } : {}),
      language: language === 'auto' ? null : language,
      theme,
    }
    const isSaved = await submit.run(async () => {
      await api.call('people_updateAccount', { body })
      draft.saved(draft.value)
      await outdate('people', 'management')
    })
    if (!isSaved) return
    setTheme(theme)
    if (language !== 'auto' && language !== shown) setLanguage(language)
    else toast({ mood: 'ok', title: w.saved })
  }
  return (
    <form onSubmit={sent(() => void save())} noValidate>
      <Card
        title={w.person}
        padded
        footer={
          <Button type="submit" look="primary" isBusy={submit.isBusy}>
            {w.save}
          </Button>
        }
      >
        <TextField
          label={w.name}
          hint={w.nameHint}
          value={name}
          onChange={(name) => draft.change({ name })}
          autoComplete="name"
          maxLength={100}
          problems={submit.problemsOf('name')}
        />
        <SelectField
          label={w.language}
          value={language}
          options={(['auto', 'en', 'de'] as const).map((value) => ({ value, label: w.languages[value] }))}
          onChange={(language) => draft.change({ language })}
        />
        <SelectField
          label={w.theme}
          value={theme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: frame.themes[value] }))}
          onChange={(theme) => draft.change({ theme })}
        />
        <Elsewhere {...draft} />
        {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
      </Card>
    </form>
  )
}

function BrowserCard() {
  const [density, choose] = useState(currentDensity)
  const hasKeys = useStore(shortcutsOn)
  return (
    <Card title={w.browser} padded>
      <div className="stack">
        <span>{w.density}</span>
        <Seg
          label={w.density}
          value={density}
          options={(['normal', 'compact'] as const).map((value) => ({ value, label: frame.densities[value] }))}
          onChange={(next) => {
            setDensity(next)
            choose(next)
          }}
        />
      </div>
      <Check kind="switch" checked={hasKeys} onChange={switchShortcuts} aside={w.shortcutsText}>
        {w.shortcuts}
      </Check>
    </Card>
  )
}
