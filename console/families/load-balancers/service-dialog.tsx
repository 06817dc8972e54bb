/** Adding or changing a service: ports, options of HTTP, and the health check. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { Check } from '../../ui/check.tsx'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { PickTags } from '../../ui/pick-tags.tsx'
import { Said } from '../../ui/said.tsx'
import { Seg } from '../../ui/seg.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import type { Balancer, Service } from './balancer.ts'
import styles from './balancers.module.css'
import { bodyOf, fieldsOf, newFields, type ServiceFields } from './service-fields.ts'
import { balancers as w } from './words.ts'

interface ServiceDialogProps {
  readonly balancer: Balancer
  /** Undefined for a new one. */
  readonly service: Service | undefined
  readonly onClose: () => void
}

export function ServiceDialog({ balancer: { id, name, services }, service, onClose }: ServiceDialogProps) {
  const current = services.find(({ listen_port: port }) => port === service?.listen_port)
  const [begun] = useState(() => (service ? fieldsOf(service) : newFields('http')))
  const draft = useDraft(current ? fieldsOf(current) : begun)
  const { value: fields, change } = draft
  const body = bodyOf(fields, current)
  const request = service
    ? ({
        operation: 'load_balancers_updateService',
        params: { id },
        body: { ...body, listen_port: service.listen_port },
      } satisfies ApiRequest<'load_balancers_updateService'>)
    : ({
        operation: 'load_balancers_addService',
        params: { id },
        body,
      } satisfies ApiRequest<'load_balancers_addService'>)
  return (
    <FormDialog
      title={service ? w.changeServiceTitle(String(service.listen_port)) : w.addServiceTitle(name)}
      act={service ? w.changeService : w.addService}
      request={request as ApiRequest<'load_balancers_addService'>}
      isDirty={draft.isDirty}
      families={['load_balancers']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <ServiceForm fields={fields} change={change} problems={problems} isNew={service === undefined} />
          <Elsewhere {...draft} />
          {service && !current && <DeletedElsewhere />}
          <CheckForm fields={fields} change={change} problems={problems} />
        </>
      )}
    </FormDialog>
  )
}

interface FormProps {
  readonly fields: ServiceFields
  readonly change: (part: Partial<ServiceFields>) => void
  readonly problems: ProblemsOf
}

export function ServiceForm({ fields, change, problems, isNew }: FormProps & { readonly isNew: boolean }) {
  const { protocol } = fields
  const setProtocol = (next: ServiceFields['protocol']) => {
    const { listenPort, destinationPort, checkProtocol } = newFields(next)
    change(isNew ? { protocol: next, listenPort, destinationPort, checkProtocol } : { protocol: next })
  }
  return (
    <>
      <Seg
        label={w.protocol}
        value={protocol}
        options={(['http', 'https', 'tcp'] as const).map((value) => ({ value, label: value.toUpperCase() }))}
        onChange={setProtocol}
      />
      <div className={styles.pair}>
        <TextField
          label={w.listenPort}
          inputMode="numeric"
          value={fields.listenPort}
          problems={problems('listen_port')}
          readOnly={!isNew}
          onChange={(listenPort) => change({ listenPort })}
        />
        <TextField
          label={w.destinationPort}
          inputMode="numeric"
          value={fields.destinationPort}
          problems={problems('destination_port')}
          onChange={(destinationPort) => change({ destinationPort })}
        />
      </div>
      <Check checked={fields.proxyProtocol} onChange={(proxyProtocol) => change({ proxyProtocol })}>
        {w.proxyProtocol}
      </Check>
      {protocol !== 'tcp' && (
        <Check checked={fields.sticky} onChange={(sticky) => change({ sticky })}>
          {w.sticky}
        </Check>
      )}
      {protocol === 'https' && (
        <>
          <Check checked={fields.redirect} onChange={(redirect) => change({ redirect })}>
            {w.redirect}
          </Check>
          <Certificates
            value={fields.certificates}
            problems={problems('http.certificates')}
            onChange={(certificates) => change({ certificates })}
          />
        </>
      )}
    </>
  )
}

interface CertificatesProps {
  readonly value: readonly number[]
  readonly problems: readonly string[] | undefined
  readonly onChange: (ids: readonly number[]) => void
}

function Certificates({ value, problems, onChange }: CertificatesProps) {
  const { data: certificates = [] } = useQuery(useApi().list('certificates_list', {}))
  return (
    <div className="stack">
      <b>{w.certificates}</b>
      <PickTags
        label={w.certificates}
        options={certificates}
        value={value}
        none={w.noCertificates}
        onChange={onChange}
      />
      {problems && (
        <p role="alert">
          <Said texts={problems} />
        </p>
      )}
    </div>
  )
}

function CheckForm({ fields, change, problems }: FormProps) {
  const text = (name: 'checkPort' | 'interval' | 'timeout' | 'retries', label: string, field: string) => (
    <TextField
      label={label}
      inputMode="numeric"
      value={fields[name]}
      problems={problems(`health_check.${field}`)}
      onChange={(value) => change({ [name]: value })}
    />
  )
  return (
    <details open={problems('health_check') && true}>
      <summary>{w.healthCheck}</summary>
      <div className="stack">
        <SelectField
          label={w.checkProtocol}
          value={fields.checkProtocol}
          options={(['tcp', 'http'] as const).map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={(checkProtocol) => change({ checkProtocol })}
        />
        <div className={styles.pair}>
          {text('checkPort', w.checkPort, 'port')}
          {text('interval', w.interval, 'interval')}
          {text('timeout', w.timeout, 'timeout')}
          {text('retries', w.retries, 'retries')}
        </div>
        {fields.checkProtocol === 'http' && (
          <>
            <div className={styles.pair}>
              <TextField
                label={w.domain}
                value={fields.domain}
                problems={problems('health_check.http.domain')}
                onChange={(domain) => change({ domain })}
              />
              <TextField
                label={w.path}
                value={fields.path}
                problems={problems('health_check.http.path')}
                onChange={(path) => change({ path })}
              />
              <TextField
                label={w.statusCodes}
                value={fields.statusCodes}
                problems={problems('health_check.http.status_codes')}
                onChange={(statusCodes) => change({ statusCodes })}
              />
              <TextField
                label={w.response}
                value={fields.response}
                problems={problems('health_check.http.response')}
                onChange={(response) => change({ response })}
              />
            </div>
            <Check checked={fields.tls} onChange={(tls) => change({ tls })}>
              {w.checkTls}
            </Check>
          </>
        )}
      </div>
    </details>
  )
}
