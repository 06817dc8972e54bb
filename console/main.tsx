/** The start: the first questions and the language, then everything that has words. */
import './look/tokens.css'
import './look/base.css'
import { askEarly } from './api/early.ts'
import { loadWords } from './words/words.ts'

askEarly()
await loadWords()
const { start } = await import('./start.tsx')
start(document.getElementById('root')!)
