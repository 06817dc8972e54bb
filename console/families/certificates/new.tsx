/** Having a certificate issued and renewed: the zones of its names are checked before. */
import { useQueries, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ItemOf, useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { FormPage } from '../../pages/shared/form-page.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { List } from '../../ui/card.tsx'
import { AreaField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import { common as c } from '../../words/common.ts'
import { certificates as w } from './words.ts'

type Zone = ItemOf<'zones_list'>

export function NewCertificatePage() {
  const go = useGo()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [labels, setLabels] = useState<LabelMap>({})
  const domains = text.split(/[\s,;]+/).filter(Boolean)
  const request: ApiRequest<'certificates_create'> = {
    operation: 'certificates_create',
    body: {
      name: name || (domains[0] ?? ''),
      type: 'managed',
      domain_names: domains,
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  const form = useRequest({
    request,
    families: ['certificates'],
    done: ({ certificate }) => go(linkTo('certificates', 'one', { id: certificate.id })),
  })
  const list = linkTo('certificates', 'list')
  return (
    <FormPage
      title={w.newTitle}
      crumbs={[{ label: w.title, link: list }]}
      form={form}
      act={w.create}
      reason={useReason('certificates_create')}
      isReady={domains.length > 0}
      cancel={list}
      request={request}
      aside={<ZoneChecks domains={domains} />}
    >
      <AreaField
        label={w.domainNames}
        hint={w.domainNamesHint}
        isMono
        rows={5}
        value={text}
        onChange={setText}
        problems={form.problems('domain_names')}
      />
      <TextField
        label={c.name}
        placeholder={domains[0] ?? ''}
        value={name}
        onChange={setName}
        problems={form.problems('name')}
      />
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
    </FormPage>
  )
}

/** The zone of the Project that a name belongs to: the longest one that ends it. */
function zoneOf(domain: string, zones: readonly Zone[]): Zone | undefined {
  const bare = domain.toLowerCase().replace(/^\*\./, '')
  return zones
    .filter(({ name }) => bare === name || bare.endsWith(`.${name}`))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** Shows, before it is asked for, what the issuing of each name depends on. */
function ZoneChecks({ domains }: { readonly domains: readonly string[] }) {
  const api = useApi()
  const { data: zones } = useSuspenseQuery(api.list('zones_list', {}))
  const found = new Set(domains.flatMap((domain) => zoneOf(domain, zones)?.id ?? []))
  const primary = zones.filter(({ id, mode }) => found.has(id) && mode === 'primary')
  const caa = useQueries({
    queries: primary.map(({ id }) =>
      api.query('zones_listRrsets', { params: { id_or_name: String(id) }, query: { type: 'CAA', per_page: 100 } }),
    ),
  })
  if (domains.length === 0) return <p className="dim">{w.checksNone}</p>
  const issuers = caa
    .flatMap(({ data }) => data?.rrsets ?? [])
    .flatMap(({ records }) => records.map(({ value }) => value))
    .filter((value) => /\bissue(wild)?\b/.test(value))
  return (
    <div className="stack">
      <List>
        {[...new Set(domains)].map((domain) => {
          const { mood, text } = checkOf(zoneOf(domain, zones))
          return (
            <li key={domain}>
              <span>
                <State mood={mood}>{domain}</State>
                <small>{text}</small>
              </span>
            </li>
          )
        })}
      </List>
      {issuers.length > 0 && <p className="dim">{w.caaSays(issuers.join('; '))}</p>}
    </div>
  )
}

function checkOf(zone: Zone | undefined): { readonly mood: Mood; readonly text: string } {
  if (!zone) return { mood: 'bad', text: w.checks.noZone }
  if (zone.mode === 'secondary') return { mood: 'bad', text: w.checks.secondary(zone.name) }
  const { delegation_status: status } = zone.authoritative_nameservers
  if (status === 'valid' || status === 'partially-valid') return { mood: 'ok', text: w.checks.delegated(zone.name) }
  if (status === 'unknown') return { mood: 'unknown', text: w.checks.unknown(zone.name) }
  return { mood: 'warn', text: w.checks.notDelegated(zone.name) }
}
