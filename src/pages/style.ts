/** Style sheets of the pages; colours follow the reader's light or dark scheme. */

/** Colours and typography of all pages. */
const base = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #14171a);
  --raised: light-dark(#f6f7f9, #1b1f24);
  --line: light-dark(#dfe3e8, #30363d);
  --text: light-dark(#1d2329, #dce1e6);
  --faint: light-dark(#5b6672, #939fab);
  --link: light-dark(#0a58ca, #7ab4ff);
  --get: light-dark(#0a58ca, #7ab4ff);
  --post: light-dark(#13703a, #63d18e);
  --put: light-dark(#8f5700, #eab35c);
  --delete: light-dark(#b3261e, #ff9089);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre, .path { font-family: var(--mono); font-size: .875em; }
p > code { overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; line-height: 1.45; }
h1 { margin: 0 0 .3rem; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 3rem 0 .8rem; font-size: 1.35rem; line-height: 1.25; }
h3 { margin: 1.4rem 0 .4rem; font-size: .95rem; }
summary { cursor: pointer; }
:target { scroll-margin-top: 4.5rem; }
h2:target, h3:target { scroll-margin-top: 1rem; color: var(--link); }
.faint { color: var(--faint); }
`

/** The style sheet of the reference. */
export const referenceStyle = `${base}
.layout { display: grid; grid-template-columns: 21rem minmax(0, 1fr); }
main { width: 100%; max-width: 60rem; padding: 2.2rem 2.5rem 6rem; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.4rem 1rem 2rem; background: var(--raised); border-right: 1px solid var(--line); font-size: .875rem; scrollbar-width: thin; }
nav .brand { display: block; padding: 0 .5rem .6rem; color: var(--text); font-weight: 700; font-size: 1.05rem; }
nav ul { margin: 0 0 .5rem; padding: 0; list-style: none; }
nav summary { padding: .25rem .5rem; font-weight: 600; border-radius: 6px; }
nav summary:hover, nav li a:hover { background: light-dark(#e9ecf0, #272d34); text-decoration: none; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .18rem .5rem; color: var(--text); border-radius: 6px; }
nav .path { min-width: 0; overflow-wrap: anywhere; font-size: .78rem; line-height: 1.4; }
nav .method { width: 2.9rem; font-size: .62rem; }

.method { flex: none; padding: .1em .4em; border: 1px solid; border-radius: 5px; font: 700 .7rem/1.4 var(--mono); text-align: center; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
.path var { color: var(--faint); font-style: normal; }

.operation { margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; }
.operation[open] { box-shadow: 0 1px 6px light-dark(#0001, #0006); }
.operation:has(> :target) { border-color: var(--link); }
.operation > summary { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; padding: .6rem .9rem; list-style: none; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: var(--raised); border-radius: 8px; }
.operation > summary .method { width: 4.2rem; }
.operation > summary .path { overflow-wrap: anywhere; font-weight: 600; }
.operation > summary .faint { margin-left: auto; font-size: .9rem; }
.operation > div { padding: .2rem 1rem 1rem; border-top: 1px solid var(--line); }

.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--faint); font-weight: 500; font-size: .8rem; }
td:first-child { white-space: nowrap; }
.codes td:first-child { width: 4.5rem; }
.codes code { margin-right: .7rem; }

.properties { margin: 0; padding: 0; list-style: none; font-size: .9rem; }
.properties .properties { margin: .15rem 0 .5rem .3rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.properties + p { margin: 0 0 0 .9rem; font-size: .85rem; }
.properties li { padding: .22rem 0; }
.name { font-weight: 600; }
.type, .limits, .flag { color: var(--faint); }
.flag, .limits { font-size: .85rem; }
.flag.required { color: var(--delete); }
.properties .type, .properties .flag { margin-left: .3rem; }
.limits { margin-left: .3rem; overflow-wrap: anywhere; }
.limits code { padding: .05rem .3rem; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; color: var(--text); font-size: .9em; }
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
.lead { margin: 0 0 2rem; font-size: 1.05rem; }
dl { margin: 0; border-top: 1px solid var(--line); }
dl div { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: .1rem 1rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; }
dd { margin: 0; color: var(--faint); }
@media (max-width: 560px) { main { padding-top: 2.5rem; } dl div { grid-template-columns: 1fr; } }
`
