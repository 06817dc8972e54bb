import { first } from '../../words/first.ts'

export const { servers } = first()
