import { when } from '../../../test/kit/crash.ts'
import { act, done, firstOf, lacking, noBody, type Proof, unique } from '../../../test/kit/proof.ts'
import { makeServer, newServer } from '../servers/proof.ts'
import type { isoEndpoints } from './contract.ts'

const x86Iso = 8637

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: { servers: ({ iso }) => ({ iso: iso ? `${iso.id}` : '' }) },
  writes: {
    'POST /servers/{servers}/actions/attach_iso': () => ({ body: { iso: x86Iso }, to: { iso: `${x86Iso}` } }),
    'POST /servers/{servers}/actions/detach_iso': when(
      ({ iso }) => Boolean(iso),
      () => ({ to: { iso: '' } }),
    ),
  },
}

export const proof: Proof<typeof isoEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'isos') },
  errors: {
    'servers.attachIso': {
      async locked({ api }) {
        return api.post(`/servers/${await newServer(api, unique('server'))}/actions/attach_iso`, { iso: x86Iso })
      },
      unsupported_error: lacking('iso', async (world) => {
        return [`/servers/${await makeServer(world)}/actions/attach_iso`, { iso: x86Iso }]
      }),
    },
    'servers.detachIso': {
      async locked({ api }) {
        return api.post(`/servers/${await newServer(api, unique('server'))}/actions/detach_iso`)
      },
    },
  },
  actions: {
    async 'servers/attach_iso'(world) {
      const id = await makeServer(world)
      return act((api) => api.post(`/servers/${id}/actions/attach_iso`, { iso: x86Iso }))
    },
    async 'servers/detach_iso'(world) {
      const id = await makeServer(world)
      await done(world.api.post(`/servers/${id}/actions/attach_iso`, { iso: x86Iso }))
      await world.settle()
      return act((api) => api.post(`/servers/${id}/actions/detach_iso`))
    },
  },
  traffic: {
    kind: 'iso',
    requests: {
      'POST /servers/{servers}/actions/attach_iso': () => ({ iso: x86Iso }),
      'POST /servers/{servers}/actions/detach_iso': noBody,
    },
  },
  crash,
}
