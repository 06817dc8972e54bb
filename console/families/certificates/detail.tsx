/** One certificate: its lifetime, names, chain, who uses it, and the attempts to get it. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { useReason } from '../../shell/may.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card, Facts, List } from '../../ui/card.tsx'
import { Copyable, CopyButton } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { Note } from '../../ui/note.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { State } from '../../ui/state.tsx'
import { Labels, None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { exactTime } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { certificateActs, useRetry } from './acts.ts'
import { type Certificate, causeOf, failureOf, isRetryable, outlookOf } from './certificate.ts'
import { ChainList } from './chain.tsx'
import { entry } from './entry.ts'
import { lifetimeOf } from './lifetime.ts'
import { AxisHead, axisFor, Legend, Span } from './timeline.tsx'
import { certificates as w } from './words.ts'
import { readChain } from './x509.ts'

export function CertificatePage() {
  const api = useApi()
  const go = useGo()
  const { id } = entry.routes.one.useParams()
  const { data, isGone } = useOne(api.query('certificates_get', { params: { id: Number(id) } }))
  const { certificate } = data
  const back = linkTo('certificates', 'list')
  const acts = useResourceActs(certificateActs, () => void go(back))
  const retry = useRetry()
  const mayRetry = useReason('certificates_retry')
  const { mood, text, next } = outlookOf(certificate)
  return (
    <>
      <PageHead
        title={certificate.name}
        crumbs={[{ label: w.title, link: back }]}
        facts={
          <>
            <State mood={mood}>{text}</State>
            {next && <span>{next}</span>}
            <span>{w.types[certificate.type]}</span>
            <Copyable text={String(certificate.id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton requests={commandsFor(certificate)} />
            {certificate.type === 'managed' ? (
              <Button
                icon="refresh"
                reason={mayRetry ?? (isRetryable(certificate) ? undefined : w.nothingFailed)}
                onClick={() => void retry(certificate)}
              >
                {w.retry}
              </Button>
            ) : (
              <ButtonLink {...linkTo('certificates', 'upload')} icon="upload">
                {w.uploadNew}
              </ButtonLink>
            )}
            <DotsMenu small={false} label={c.actionsFor(certificate.name)} entries={() => acts.menu(certificate)} />
          </>
        }
      />
      {isGone && <GoneNote name={certificate.name} back={{ label: w.title, link: back }} />}
      <Columns label={r.summary} aside={<Aside certificate={certificate} />}>
        <FailureOf certificate={certificate} />
        <Validity certificate={certificate} />
        <ChainCard certificate={certificate} />
        {certificate.type === 'managed' && <Attempts id={id} />}
      </Columns>
      {acts.dialogs}
    </>
  )
}

function commandsFor({ id }: Certificate) {
  const params = { id }
  return [
    { label: w.show, request: { operation: 'certificates_get', params } },
    { label: w.retry, request: { operation: 'certificates_retry', params } },
    { label: r.rename, request: { operation: 'certificates_update', params, body: { name: 'new-name' } } },
    { label: w.deleteAct, request: { operation: 'certificates_remove', params } },
  ] as const
}

function FailureOf({ certificate }: { readonly certificate: Certificate }) {
  const failure = failureOf(certificate)
  if (!failure) return null
  return (
    <Note mood="bad">
      <b>
        {certificate.status?.issuance === 'failed' ? w.cannotIssue(certificate.name) : w.cannotRenew(certificate.name)}
      </b>{' '}
      {failure.text} {w.triedAgain} <span className="faint mono">{failure.code}</span>
    </Note>
  )
}

function Validity({ certificate }: { readonly certificate: Certificate }) {
  const life = lifetimeOf(certificate)
  if (!life) return null
  const axis = axisFor([life])
  return (
    <Card title={w.lifetime} padded footer={<Legend />}>
      <div>
        <AxisHead axis={axis} />
        <Span certificate={certificate} axis={axis} />
      </div>
    </Card>
  )
}

function ChainCard({ certificate: { name, certificate: pem } }: { readonly certificate: Certificate }) {
  const chain = useMemo(() => (pem === null ? undefined : readChain(pem)), [pem])
  if (pem === null || !chain) return null
  return (
    <Card
      title={w.chain}
      end={
        <>
          <CopyButton text={pem} label={w.copyChain} />
          <Button small icon="download" onClick={() => saveFile(`${name}.pem`, pem, 'application/x-pem-file')}>
            {w.downloadChain}
          </Button>
        </>
      }
      footer={w.publicOnly}
    >
      {'links' in chain ? <ChainList links={chain.links} /> : null}
    </Card>
  )
}

/** The actions of the certificate: each order, and why it failed. */
function Attempts({ id }: { readonly id: string }) {
  const api = useApi()
  const input = { params: { id: Number(id) }, query: { sort: 'id:desc', per_page: 25 } }
  const { data } = useQuery(api.query('certificates_listActions', input))
  const actions = data?.actions ?? []
  return (
    <Card title={w.attempts}>
      <List>
        {actions.map(({ id: action, command, status, progress, started, error }) => (
          <li key={action}>
            <span>
              <State mood={status === 'success' ? 'ok' : status === 'error' ? 'bad' : 'busy'} progress={progress}>
                {w.commands[command as keyof typeof w.commands] ?? command}
              </State>
              {error && (
                <small>
                  {causeOf(error)} <span className="mono">{error.code}</span>
                </small>
              )}
            </span>
            <span className="end faint">
              <Ago time={started} />
            </span>
          </li>
        ))}
      </List>
    </Card>
  )
}

function Aside({ certificate }: { readonly certificate: Certificate }) {
  const { domain_names: names, fingerprint, created, labels } = certificate
  const time = (at: string | null) => (at === null ? <None /> : exactTime(at))
  return (
    <>
      <Card title={w.domains(names.length)}>
        <List>
          {names.map((name) => (
            <li key={name}>
              <span className="mono">{name}</span>
              <span className="end">
                <CopyButton text={name} label={c.copyName(name)} />
              </span>
            </li>
          ))}
        </List>
      </Card>
      <UsedBy certificate={certificate} />
      <Card title={c.details} padded>
        <Facts
          rows={[
            [w.from, time(certificate.not_valid_before)],
            [w.until, time(certificate.not_valid_after)],
            [r.created, <Ago key="created" time={created} />],
            [c.labels, <Labels key="labels" labels={labels} />],
          ]}
        />
        {fingerprint && (
          <div>
            <p className="dim row">
              {w.fingerprint} <CopyButton text={fingerprint} label={c.copyName(w.fingerprint)} />
            </p>
            <p className="mono">{fingerprint.replaceAll(/(.{24})/g, '$1\u200B')}</p>
          </div>
        )}
      </Card>
    </>
  )
}

function UsedBy({ certificate: { used_by: users } }: { readonly certificate: Certificate }) {
  const api = useApi()
  const { data: balancers = [] } = useQuery({ ...api.list('load_balancers_list', {}), enabled: users.length > 0 })
  return (
    <Card title={r.usedBy} padded={users.length === 0}>
      {users.length === 0 ? (
        <p className="dim">{w.unused}</p>
      ) : (
        <List>
          {users.map(({ id }) => (
            <li key={id}>{balancers.find((one) => one.id === id)?.name ?? `#${id}`}</li>
          ))}
        </List>
      )}
    </Card>
  )
}
