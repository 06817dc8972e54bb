/** The start: the first questions and the language, then everything that has words. */
import './look/tokens.css'
import './look/base.css'
import { askEarly } from './api/early.ts'
import { loadFirst } from './words/first.ts'

askEarly()
await loadFirst()
const { start } = await import('./start.tsx')
start(document.getElementById('root')!)
