import { first } from './first.ts'

export const { shell } = first()
