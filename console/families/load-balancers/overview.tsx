/** Shows what a Load Balancer is: addresses, type, algorithm, traffic and price. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { aMonth, money } from '../../lib/money.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Halves } from '../../ui/page.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { ratesIn } from '../pricing/lines.ts'
import type { Balancer } from './balancer.ts'
import styles from './balancers.module.css'
import { balancers as w } from './words.ts'

type Asked = 'type' | 'algorithm' | 'ipv4' | 'ipv6'

export function OverviewTab({ balancer }: { readonly balancer: Balancer }) {
  const [asked, ask] = useState<Asked>()
  const mayName = useReason('load_balancers_changeDnsPtr')
  const mayType = useReason('load_balancers_changeType')
  const mayAlgorithm = useReason('load_balancers_changeAlgorithm')
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('load_balancer_types_list', {}))
  const { data: pricing } = useSuspenseQuery(api.query('pricing_get', {}))
  const { public_net: net, load_balancer_type: type, location, algorithm, created } = balancer
  const cost = ratesIn(type.prices, location.name)
  const change = (what: Asked, reason: string | undefined, label: string) => (
    <Button small reason={reason} aria-label={`${c.change}: ${label}`} onClick={() => ask(what)}>
      {c.change}
    </Button>
  )
  const address = (version: 'ipv4' | 'ipv6') => (
    <span className={cx('row wrap', styles.value)}>
      <Copyable text={net[version].ip} />
      <span className="faint">{net[version].dns_ptr ?? <None />}</span>
      {change(version, mayName, w.nameOf(net[version].ip))}
    </span>
  )
  return (
    <>
      <Halves>
        <Card title={w.addresses} padded>
          <Facts
            rows={[
              [w.public, net.enabled ? c.on : c.off],
              ['IPv4', address('ipv4')],
              ['IPv6', address('ipv6')],
              [
                w.private,
                balancer.private_net.length === 0 ? (
                  <None key="none" />
                ) : (
                  balancer.private_net.map(({ ip }) => (
                    <span key={ip} className={cx('row', styles.value)}>
                      <Copyable text={ip} />
                    </span>
                  ))
                ),
              ],
            ]}
          />
        </Card>
        <Card title={w.about} padded>
          <Facts
            rows={[
              [
                w.columns.type,
                <span key="type" className={cx('row wrap', styles.value)}>
                  {type.name} {change('type', mayType, w.changeType)}
                </span>,
              ],
              [w.limits, w.limitsText(number(type.max_connections), type.max_services, type.max_targets)],
              [
                w.algorithm,
                <span key="algorithm" className={cx('row wrap', styles.value)}>
                  {w.algorithms[algorithm.type]} {change('algorithm', mayAlgorithm, w.changeAlgorithm)}
                </span>,
              ],
              [w.columns.location, `${location.name} · ${location.city}`],
              [p.monthOf, cost ? money(cost.monthly, pricing.pricing.currency) : <None key="none" />],
              [w.traffic, w.trafficText(gigabytes(balancer.outgoing_traffic), gigabytes(balancer.included_traffic))],
              [w.columns.created, <Ago key="created" time={created} />],
            ]}
          />
        </Card>
      </Halves>
      {asked === 'type' && <TypeDialog {...{ balancer, types }} onClose={() => ask(undefined)} />}
      {asked === 'algorithm' && <AlgorithmDialog balancer={balancer} onClose={() => ask(undefined)} />}
      {(asked === 'ipv4' || asked === 'ipv6') && (
        <NameDialog id={balancer.id} address={net[asked]} onClose={() => ask(undefined)} />
      )}
    </>
  )
}

function gigabytes(bytes: number | null): string {
  return `${number(Math.round((bytes ?? 0) / 1e8) / 10)} GB`
}

interface DialogProps {
  readonly balancer: Balancer
  readonly onClose: () => void
}

function TypeDialog({
  balancer: { id, load_balancer_type: current, location },
  types,
  onClose,
}: DialogProps & { readonly types: readonly Balancer['load_balancer_type'][] }) {
  const api = useApi()
  const { data } = useSuspenseQuery(api.query('pricing_get', {}))
  const [type, setType] = useState(current.name)
  const label = (one: Balancer['load_balancer_type']) => {
    const cost = ratesIn(one.prices, location.name)
    const limits = w.limitsText(number(one.max_connections), one.max_services, one.max_targets)
    return [one.name, limits, cost && aMonth(cost.monthly, data.pricing.currency)].filter(Boolean).join(' · ')
  }
  return (
    <FormDialog
      title={w.changeType}
      text={w.changeTypeText}
      act={w.changeType}
      request={
        type === current.name
          ? undefined
          : ({
              operation: 'load_balancers_changeType',
              params: { id },
              body: { load_balancer_type: type },
            } satisfies ApiRequest<'load_balancers_changeType'>)
      }
      families={['load_balancers']}
      onClose={onClose}
    >
      <SelectField
        label={w.columns.type}
        value={type}
        options={types.map((one) => ({ value: one.name, label: label(one) }))}
        onChange={setType}
      />
    </FormDialog>
  )
}

function AlgorithmDialog({ balancer: { id, algorithm }, onClose }: DialogProps) {
  const [type, setType] = useState(algorithm.type)
  return (
    <FormDialog
      title={w.changeAlgorithm}
      act={w.changeAlgorithm}
      request={
        {
          operation: 'load_balancers_changeAlgorithm',
          params: { id },
          body: { type },
        } satisfies ApiRequest<'load_balancers_changeAlgorithm'>
      }
      families={['load_balancers']}
      onClose={onClose}
    >
      <SelectField
        label={w.algorithm}
        value={type}
        options={(['round_robin', 'least_connections'] as const).map((value) => ({
          value,
          label: w.algorithms[value],
        }))}
        onChange={setType}
      />
    </FormDialog>
  )
}

interface NameProps {
  readonly id: number
  readonly address: Balancer['public_net']['ipv4']
  readonly onClose: () => void
}

function NameDialog({ id, address: { ip, dns_ptr }, onClose }: NameProps) {
  const [name, setName] = useState(dns_ptr ?? '')
  return (
    <FormDialog
      title={w.nameOf(ip)}
      act={c.save}
      request={
        {
          operation: 'load_balancers_changeDnsPtr',
          params: { id },
          body: { ip, dns_ptr: name.trim() === '' ? null : name.trim() },
        } satisfies ApiRequest<'load_balancers_changeDnsPtr'>
      }
      families={['load_balancers', 'primary_ips']}
      onClose={onClose}
    >
      {(problems) => (
        <TextField
          label={w.hostName}
          isMono
          hint={w.hostNameHint}
          value={name}
          problems={problems('dns_ptr')}
          onChange={setName}
        />
      )}
    </FormDialog>
  )
}
