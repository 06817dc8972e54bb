import { first } from './first.ts'

export const { servers } = first()
