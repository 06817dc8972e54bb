import { defineFamily } from '../../platform.ts'
import { sshKeyEndpoints } from './contract.ts'
import { sshKeyRoutes } from './routes.ts'

export const sshKeys = defineFamily({ name: 'ssh_keys', endpoints: sshKeyEndpoints, routes: sshKeyRoutes })
