/** Proving who one is: by passkey, password or one-time code. It counts for ten minutes. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../api/api.ts'
import { toFailure } from '../api/failure.ts'
import type { BodyFor } from '../api/operations.ts'
import { answerWithPasskey, canMakePasskeys, wasCancelled } from '../api/passkeys.ts'
import { answerProof } from '../api/proof.ts'
import { useOutdate } from '../api/use-outdate.ts'
import { Button, ButtonAnchor } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNote } from '../ui/failure.tsx'
import { TextField } from '../ui/field.tsx'
import { Seg } from '../ui/seg.tsx'
import { account } from '../words/account.ts'
import { common as c } from '../words/common.ts'

const w = account.proof
const api = apiOf(undefined)

type Way = 'password' | 'code'

export function ElevationDialog() {
  const { data } = useQuery(api.query('people_credentials', {}))
  const kinds = new Set(data?.credentials.map(({ kind }) => kind))
  const ways = (['password', 'code'] as const).filter((way) => kinds.has(way === 'code' ? 'totp' : way))
  const hasPasskey = kinds.has('passkey') && canMakePasskeys()
  const proof = useProof()
  const [chosen, choose] = useState<Way>()
  const way = chosen ?? ways[0]
  const [text, setText] = useState('')
  if (!data) return null
  const isStuck = way === undefined && !hasPasskey
  const here = encodeURIComponent(window.location.pathname + window.location.search)
  const again = kinds.has('oidc') ? `/console/login/oidc?fresh&next=${here}` : `/console/login?again&next=${here}`
  return (
    <Dialog
      isDirty={false}
      title={w.title}
      text={isStuck ? w.stuck : w.text}
      onClose={() => answerProof(false)}
      onSubmit={way && (() => void proof.give({ [way]: text.trim() }))}
      footer={
        <span className="end row">
          <Button onClick={() => answerProof(false)}>{c.cancel}</Button>
          {isStuck && (
            <ButtonAnchor look="primary" href={again}>
              {w.signIn}
            </ButtonAnchor>
          )}
          {way && (
            <Button type="submit" look="primary" isBusy={proof.isBusy}>
              {w.go}
            </Button>
          )}
        </span>
      }
    >
      {hasPasskey && (
        <Button icon="passkey" wide isBusy={proof.isBusy} onClick={() => void proof.givePasskey()}>
          {w.passkey}
        </Button>
      )}
      {ways.length > 1 && (
        <Seg
          label={w.way}
          value={way ?? 'password'}
          options={ways.map((value) => ({ value, label: w.ways[value] }))}
          onChange={(next) => {
            choose(next)
            setText('')
          }}
        />
      )}
      {way && (
        <TextField
          key={way}
          label={w.ways[way]}
          value={text}
          onChange={setText}
          autoFocus
          type={way === 'password' ? 'password' : 'text'}
          inputMode={way === 'code' ? 'numeric' : undefined}
          autoComplete={way === 'password' ? 'current-password' : 'one-time-code'}
          problems={proof.isWrong ? [w.wrong] : undefined}
        />
      )}
      {proof.cause !== undefined && !proof.isWrong && <FailureNote cause={proof.cause} />}
    </Dialog>
  )
}

function useProof() {
  const outdate = useOutdate()
  const [isBusy, setBusy] = useState(false)
  const [cause, setCause] = useState<unknown>()
  const attempt = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setCause(undefined)
    try {
      await act()
      await outdate('people')
      answerProof(true)
    } catch (failure) {
      if (!wasCancelled(failure)) setCause(failure)
      setBusy(false)
    }
  }
  const give = (body: BodyFor<'people_elevate'>) => attempt(() => api.call('people_elevate', { body }))
  const givePasskey = () =>
    attempt(async () => {
      const { options } = await api.call('people_askForProof', {})
      const response = await answerWithPasskey(options)
      await api.call('people_elevate', { body: { response } })
    })
  const isWrong = cause !== undefined && toFailure(cause).code === 'wrong_credentials'
  return { give, givePasskey, isBusy, cause, isWrong }
}
