/** The style sheet of the pages before the console: the tokens and the parts of the console that they use. */
import { tokens } from '../../look/texts.ts'

export const doorStyle = `@layer tokens, base, parts, narrow;
${tokens.trim()}
@layer base {
*, ::before, ::after { box-sizing: border-box; }
html { background: var(--bg); color: var(--ink); -webkit-text-size-adjust: 100%; scroll-padding: 4rem; }
body { font: var(--w-text) var(--t2)/var(--lh2) var(--sans); }
body, h1, h2, h3, p, ul, ol, dl, dd, figure, pre, fieldset, legend, table { margin: 0; padding: 0; }
ul, ol { list-style: none; }
fieldset { border: 0; min-width: 0; > legend { margin-bottom: var(--s3); } }
h1 { font-size: var(--t4); line-height: var(--lh4); font-weight: var(--w-head); letter-spacing: -.012em; overflow-wrap: anywhere; }
h2 { font-size: var(--t3); line-height: var(--lh3); font-weight: var(--w-head); letter-spacing: -.004em; }
h3, b, strong, th, legend { font-size: inherit; font-weight: var(--w-head); }
a { color: var(--accent-ink); text-decoration-color: var(--accent-line); text-underline-offset: .2em; }
a:hover { text-decoration-color: currentColor; }
button, input, select, textarea { font: inherit; color: inherit; letter-spacing: inherit; }
button { padding: 0; border: 0; background: none; text-align: start; cursor: pointer; }
code, pre, kbd, .mono { font-family: var(--mono); font-size: var(--tm); font-variant-ligatures: none; }
time, td, .num { font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: var(--r1); }
[hidden] { display: none !important; }
.dim { color: var(--ink-2); } .faint { color: var(--ink-3); } .faint, .hint, .error, .crumbs, .tip, .list small { font-size: var(--t1); line-height: var(--lh1); } .nw { white-space: nowrap; } .end { margin-inline-start: auto; } .right { text-align: end; }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.row, .switch, .find, .running, .select, .tools, .pager, .secret, .steps a, .sky a, .card > header, .dialog > footer, .menu > [role] { display: flex; align-items: center; gap: var(--s2); min-width: 0; }
.row { &:has(> .menu) { align-items: start; } } .wrap { flex-wrap: wrap; }
.stack, .stack-l, .field { display: grid; gap: var(--s3); align-content: start; min-width: 0; } .stack-l { gap: var(--s5); }
.icon, .sign { flex: none; vertical-align: -.1875rem; width: 1rem; height: 1rem; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.sprite { position: absolute; }
.nav a, .tabs a, .crumbs a, .steps a { color: var(--ink-2); text-decoration: none; &:hover { color: var(--ink); } }
.skip { position: fixed; inset: var(--s2) auto auto var(--s2); z-index: 99; padding: var(--s2) var(--s3); background: var(--night); color: var(--night-ink); border-radius: var(--r2); translate: 0 -200%; }
.skip:focus { translate: 0; }
}
@layer parts {
.brand { display: flex; align-items: center; gap: .4375rem; height: var(--bar); padding-inline: var(--s2); color: var(--ink); flex: none; }
.mark { width: 1.375rem; height: 1.375rem; fill: none; stroke: currentColor; stroke-width: 1.75; }
.word { width: 3.4375rem; height: 1.25rem; fill: none; stroke: currentColor; stroke-width: 1.9; stroke-linecap: round; stroke-linejoin: round; }
.btn { display: inline-flex; vertical-align: middle; align-items: center; justify-content: center; gap: .4375rem; min-height: var(--control); padding: 0 var(--s3); border: 1px solid var(--line-2); border-radius: var(--r2); background: var(--bg-raised); color: var(--ink); font-weight: var(--w-mid); text-decoration: none; white-space: nowrap; box-shadow: var(--shadow-1); transition: background var(--fast) var(--out), border-color var(--fast) var(--out);
  &:hover { background: var(--bg-hover); border-color: var(--line-3); } &:active { background: var(--bg-press); } .icon { margin-inline-start: -.125rem; }
  &.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); &:hover { background: var(--accent-2); border-color: var(--accent-2); } }
  &.danger { background: var(--bad-fill); border-color: var(--bad-fill); color: var(--on-bad); &:hover { background: var(--bad-fill-2); } }
  &.quiet { background: none; border-color: transparent; box-shadow: none; color: var(--ink-2); &:hover { background: var(--bg-hover); color: var(--ink); } }
  &.small { min-height: var(--control-s); padding-inline: var(--s2); font-size: var(--t1); } &.wide { width: 100%; }
  &.only { width: var(--control); padding: 0; .icon { margin: 0; } &.small { width: var(--control-s); } }
  &:disabled, &[aria-disabled=true] { background: var(--bg-sunk); border-color: var(--line); color: var(--ink-off); box-shadow: none; cursor: not-allowed; }
}
.field { gap: var(--s1); }
.field > label, .label { font-weight: var(--w-mid); } .hint { color: var(--ink-2); }
.input, .select, .area { width: 100%; min-height: var(--control); padding: 0 .625rem; border: 1px solid var(--line-3); border-radius: var(--r2); background: var(--bg-raised); }
.area { padding-block: var(--s2); resize: vertical; line-height: var(--lh2); }
.input::placeholder, .area::placeholder { color: var(--ink-3); opacity: 1; }
:is(.input, .select, .area):focus-visible { outline-offset: -1px; border-radius: var(--r2); border-color: var(--focus); }
[aria-invalid=true]:is(.input, .select, .area) { border-color: var(--bad-mark); box-shadow: inset 0 0 0 1px var(--bad-mark); }
.error { display: flex; gap: .375rem; color: var(--bad-ink); } .error .sign { width: .875rem; }
.note { display: flex; gap: var(--s2); padding: .5625rem var(--s3); border-radius: var(--r2); background: var(--bg-sunk); color: var(--ink-2); } .note .sign, .note > .icon { margin-top: .125rem; } .note b { color: var(--ink); }
.note[data-state=warn] { background: var(--warn-soft); color: var(--ink); } .note[data-state=bad] { background: var(--bad-soft); color: var(--ink); } .note[data-state=busy] { background: var(--accent-soft); color: var(--ink); }
.secret { padding: var(--s1) var(--s1) var(--s1) var(--s3); border-radius: var(--r2); } .secret code { flex: 1; min-width: 0; overflow-wrap: anywhere; font-size: var(--t2); }
.door { display: grid; grid-template-columns: minmax(0, 29rem) 1fr; min-height: 100vh;
  main { display: flex; flex-direction: column; padding: var(--s6) clamp(1.25rem, 5vw, 4rem); } .brand { padding: 0; } form { display: grid; gap: var(--s4); width: 100%; max-width: 21rem; margin-block: auto; padding-block: var(--s6); } aside { position: relative; overflow: hidden; background: var(--bg-sunk); border-inline-start: 1px solid var(--line); }
}
.chart { position: absolute; inset: 0; width: 100%; height: 100%; fill: none; stroke: var(--accent-line); stroke-width: 1; opacity: .9; text { fill: var(--ink-2); stroke: none; font: 11px var(--mono); } .strong { stroke: var(--accent); } .front { stroke: var(--accent); stroke-width: 1.75; &.fill { fill: var(--accent); } } .high { fill: var(--accent-ink); font: 600 26px var(--sans); } .halo { stroke: var(--bg-sunk); stroke-width: 5; paint-order: stroke; } .st { color: var(--ink); stroke: var(--ink); stroke-width: 1.5; } }
.or { display: flex; align-items: center; gap: var(--s3); color: var(--ink-3); font-size: var(--t1); } .or::before, .or::after { content: ""; flex: 1; height: 1px; background: var(--line-2); }
.door form[hidden], .door .or[hidden] { display: none; }
.door .stack-l { width: 100%; max-width: 21rem; margin-block: auto; padding-block: var(--s6); } .door .stack-l form { max-width: none; margin: 0; padding: 0; }
}
@layer narrow {
@media (max-width: 56.24em) { .door { grid-template-columns: minmax(0, 1fr); } .door aside { display: none; } }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; } }
}
`
