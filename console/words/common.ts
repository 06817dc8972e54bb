import { first } from './first.ts'

export const { common } = first()
