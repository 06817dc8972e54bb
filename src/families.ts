/** Every family of resources. Adding one is one line here. */
import { sshKeys } from './families/ssh-keys/family.ts'
import { actionEndpoints } from './kernel/actions/contract.ts'
import { actionRoutes } from './kernel/actions/routes.ts'
import { defineFamily, type Family } from './platform.ts'

const actions = defineFamily({ name: 'actions', endpoints: actionEndpoints, routes: actionRoutes })

export const families: readonly Family[] = [actions, sshKeys]
