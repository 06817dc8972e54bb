import { defineFamily } from '../../platform.ts'
import { imageEndpoints } from './contract.ts'
import { imageRoutes } from './routes.ts'

export const images = defineFamily({ name: 'images', endpoints: imageEndpoints, routes: imageRoutes })
