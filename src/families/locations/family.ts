import { defineFamily } from '../../platform.ts'
import { locationEndpoints } from './contract.ts'
import { locationRoutes } from './routes.ts'

export const locations = defineFamily({ name: 'locations', endpoints: locationEndpoints, routes: locationRoutes })
