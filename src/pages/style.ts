/** Style sheets of the pages; colours follow the reader's light or dark scheme. */

import { tokens } from '../look/texts.ts'

/** Typography of all pages, in the colours of the tokens. */
const base = `${tokens}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 1rem/1.55 var(--sans); }
a { color: var(--accent-ink); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre, .path { font-family: var(--mono); font-size: .875em; }
p > code { overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; overflow-x: auto; background: var(--night); color: var(--night-ink); border: 1px solid var(--night-line); border-radius: 8px; line-height: 1.45; }
h1 { margin: 0 0 .3rem; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 3rem 0 .8rem; font-size: 1.35rem; line-height: 1.25; }
h3 { margin: 1.4rem 0 .4rem; font-size: .95rem; }
summary { cursor: pointer; }
:target { scroll-margin-top: 4.5rem; }
h2:target, h3:target { scroll-margin-top: 1rem; color: var(--accent-ink); }
.faint { color: var(--ink-2); }
`

/** The style sheet of the reference. */
export const referenceStyle = `${base}
.layout { display: grid; grid-template-columns: 21rem minmax(0, 1fr); }
main { width: 100%; max-width: 60rem; padding: 2.2rem 2.5rem 6rem; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.4rem 1rem 2rem; background: var(--bg-sunk); border-right: 1px solid var(--line); font-size: .875rem; scrollbar-width: thin; }
nav .brand { display: block; padding: 0 .5rem .6rem; color: var(--ink); font-weight: 700; font-size: 1.05rem; }
nav ul { margin: 0 0 .5rem; padding: 0; list-style: none; }
nav summary { padding: .25rem .5rem; font-weight: 600; border-radius: 6px; }
nav summary:hover, nav li a:hover { background: var(--bg-press); text-decoration: none; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .18rem .5rem; color: var(--ink); border-radius: 6px; }
nav .path { min-width: 0; overflow-wrap: anywhere; font-size: .78rem; line-height: 1.4; }
nav .method { width: 2.9rem; font-size: .62rem; }

.method { flex: none; padding: .1em .4em; border: 1px solid; border-radius: 5px; font: 700 .7rem/1.4 var(--mono); text-align: center; }
.get { color: var(--accent-ink); } .post { color: var(--ok-ink); } .put { color: var(--warn-ink); } .delete { color: var(--bad-ink); }
.path var { color: var(--ink-2); font-style: normal; }

.operation { margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; }
.operation[open] { box-shadow: var(--shadow-1); }
.operation:has(> :target) { border-color: var(--accent-ink); }
.operation > summary { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; padding: .6rem .9rem; list-style: none; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: var(--bg-sunk); border-radius: 8px; }
.operation > summary .method { width: 4.2rem; }
.operation > summary .path { overflow-wrap: anywhere; font-weight: 600; }
.operation > summary .faint { margin-left: auto; font-size: .9rem; }
.operation > div { padding: .2rem 1rem 1rem; border-top: 1px solid var(--line); }

.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--ink-2); font-weight: 500; font-size: .8rem; }
td:first-child { white-space: nowrap; }
.codes td:first-child { width: 4.5rem; }
.codes code { margin-right: .7rem; }

.properties { margin: 0; padding: 0; list-style: none; font-size: .9rem; }
.properties .properties { margin: .15rem 0 .5rem .3rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.properties + p { margin: 0 0 0 .9rem; font-size: .85rem; }
.properties li { padding: .22rem 0; }
.name { font-weight: 600; }
.type, .limits, .flag { color: var(--ink-2); }
.flag, .limits { font-size: .85rem; }
.flag.required { color: var(--bad-ink); }
.properties .type, .properties .flag { margin-left: .3rem; }
.limits { margin-left: .3rem; overflow-wrap: anywhere; }
.limits code { padding: .05rem .3rem; background: var(--bg-sunk); border: 1px solid var(--line); border-radius: 4px; color: var(--ink); font-size: .9em; }
.note { display: block; font-size: .88rem; }

@media (max-width: 820px) {
  .layout { display: block; }
  nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.4rem 1rem 4rem; }
  .operation > summary .faint { width: 100%; margin-left: 0; }
}
@media print { nav { display: none; } .layout { display: block; } }
`

/** The style sheet of the root page. */
export const homeStyle = `${base}
main { max-width: 42rem; margin: 0 auto; padding: 12vh 1.5rem 4rem; }
h1 { position: absolute; clip-path: inset(50%); }
.logo { display: block; width: 9.4rem; height: 2.4rem; margin: 0 0 1.2rem -.2rem; }
.lead { margin: 0 0 2rem; font-size: 1.05rem; }
dl { margin: 0; border-top: 1px solid var(--line); }
dl div { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: .1rem 1rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; }
dd { margin: 0; color: var(--ink-2); }
@media (max-width: 560px) { main { padding-top: 2.5rem; } dl div { grid-template-columns: 1fr; } }
`
