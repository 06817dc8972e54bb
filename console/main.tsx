/** The start: the language first, then everything that has words. */
import './look/tokens.css'
import './look/base.css'
import { loadWords } from './words/words.ts'

await loadWords()
const { start } = await import('./start.tsx')
start(document.getElementById('root')!)
