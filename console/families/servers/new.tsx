/** Creating servers: one page, whose choices are in its address, so that it can be shared. */

import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { linkTo } from '../../families.ts'
import type { Password } from '../../pages/shared/passwords-dialog.tsx'
import { Commands } from '../../shell/commands.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { useCopy } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { LongForm } from '../../ui/steps.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { type Choices, useChoices } from './choices.ts'
import { type Draft, obstacleOf, proposedName, requestsOf } from './draft.ts'
import { entry } from './entry.ts'
import { reasonOf, wrongsOf } from './judge.ts'
import { newServer as n } from './new.words.ts'
import { forParts } from './new-data.ts'
import { newSteps } from './new-steps.tsx'
import { type Failed, NewSummary } from './new-summary.tsx'
import { Passwords } from './passwords.tsx'
import type { NewServerSearch } from './search.ts'
import { servers as w } from './words.ts'

export function NewServerPage() {
  const api = useApi()
  const data = useChoices()
  const search = entry.routes.create.useSearch()
  const go = useGo()
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Draft>(() => beginning(search, data))
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<Failed>()
  /** The names that are taken because they were created here. */
  const [made, setMade] = useState<ReadonlySet<string>>(new Set())
  const [passwords, showPasswords] = useState<readonly Password[]>([])
  const outdate = useOutdate()
  const mayCreate = useReason('servers_create')
  const { isCopied, copy } = useCopy()
  const { options } = useRouter()
  const requests = requestsOf(draft, data.images, data.types).filter(({ body }) => !made.has(body.name))
  const wrongs = wrongsOf(draft, data, Date.now())
  const reason = mayCreate ?? reasonOf(draft, wrongs) ?? (requests.length === 0 ? n.allMade : undefined)
  // Passwords are shown once, so nobody leaves before the last server is there.
  const isChanged = useChanged(draft)
  useUnsaved(isBusy ? passwords.length > 0 : isChanged && passwords.length === 0)
  const leave = () => void go(linkTo('servers', 'list'))

  const change = (part: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...part }))
    const { type, image, location } = { ...draft, ...part }
    // A name that is only proposed is not that of a link.
    void navigate({ to: '.', search: { type, image, location, name: part.name ?? search.name }, replace: true })
  }
  const copyLink = () => {
    const { type, image, location, name } = draft
    const asked = options.stringifySearch!({ type, image, location, name })
    copy(window.location.origin + window.location.pathname + asked)
  }
  const create = async () => {
    if (reason !== undefined || isBusy) return
    setBusy(true)
    setFailed(undefined)
    const { hasPasswords, failure } = await createAll()
    await outdate('servers')
    setFailed(failure)
    if (!hasPasswords && !failure) return leave()
    setBusy(false)
  }
  /** Stops at the first that fails: the others would fail for the same reason. */
  const createAll = async (): Promise<{ hasPasswords: boolean; failure?: Failed }> => {
    let hasPasswords = false
    for (const { body, afterwards = [] } of requests) {
      let isMade = false
      try {
        const { server, root_password: password } = await api.call('servers_create', { body })
        isMade = true
        setMade((before) => new Set([...before, body.name]))
        if (password) {
          hasPasswords = true
          showPasswords((before) => [...before, { name: server.name, password }])
        }
        for (const operation of afterwards) await api.call(operation, { params: { id: server.id } })
      } catch (cause) {
        return { hasPasswords, failure: { name: body.name, cause, isMade } }
      }
    }
    return { hasPasswords }
  }

  return (
    <>
      <PageHead
        title={w.create}
        crumbs={[{ label: w.title, link: linkTo('servers', 'list') }]}
        actions={
          <>
            <Button look="quiet" icon="link" onClick={copyLink}>
              {isCopied ? c.copied : n.copyLink}
            </Button>
            {requests[0] && <CommandsButton request={requests[0]} />}
          </>
        }
      />
      <LongForm
        label={r.sections}
        asideLabel={r.summary}
        steps={newSteps({ draft, change, data, wrongs, fields: failed ? toFailure(failed.cause).fields : {} })}
        onSubmit={() => void create()}
        aside={
          <>
            <NewSummary {...{ draft, data, isBusy, reason, failed }} names={requests.map(({ body }) => body.name)} />
            <Commands request={requests} />
          </>
        }
      />
      {passwords.length > 0 && !isBusy && (
        <Passwords passwords={passwords} onClose={failed ? () => showPasswords([]) : leave} />
      )}
    </>
  )
}

function beginning(search: NewServerSearch, data: Choices): Draft {
  const { type, image = preferredImage(data), location = preferredLocation(data), name } = search
  const cheapest = data.types.find((one) => !obstacleOf(one, { location, image }, data.images, Date.now()))
  return {
    name: name ?? proposedName(data.servers.map((one) => one.name)),
    location,
    image,
    type: type ?? cheapest?.name,
    ipv4: true,
    ipv6: true,
    picked: forParts(({ family, beginsWithAll }) => ({
      ids: beginsWithAll ? data.rows[family].map(({ id }) => id) : [],
      answer: true,
    })),
    placementGroup: undefined,
    backups: false,
    labels: {},
    userData: '',
  }
}

/** Prefers where the newest server is. */
function preferredLocation({ servers, locations }: Choices): string | undefined {
  return servers.at(-1)?.location?.name ?? locations[0]?.name
}

function preferredImage({ images }: Choices): string | undefined {
  const system = images.filter((image) => image.type === 'system' && image.deprecation === null)
  return (system.find(({ os_flavor: flavor }) => flavor === 'debian') ?? system[0])?.name ?? undefined
}
