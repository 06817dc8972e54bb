/** The design tokens of all pages, as a style sheet: the text of console/look/tokens.css, which a test compares. */
export const tokens = `/* Wolke design tokens. Every colour is a pair for both themes; the theme is chosen by color-scheme alone. */
@layer tokens {
:root {
  color-scheme: light dark;

  /* Fog: the neutral ramp, a grey with a breath of petrol. */
  --bg: light-dark(#ffffff, #0e1517);              /* page */
  --bg-sunk: light-dark(#f2f7f8, #090f11);         /* sidebar, wells, table head */
  --bg-raised: light-dark(#ffffff, #151d1f);       /* cards, menus, dialogs */
  --bg-hover: light-dark(#eef3f5, #192225);
  --bg-press: light-dark(#e3ebed, #20292d);
  --line: light-dark(#dfe5e7, #232b2e);             /* hairlines: decoration only */
  --line-2: light-dark(#cbd3d6, #323c40);           /* edges of cards and quiet controls */
  --line-3: light-dark(#7d8b90, #67757a);           /* edges that must be seen: fields, checkboxes (3:1) */
  --ink: light-dark(#152329, #e9eeef);
  --ink-2: light-dark(#47555b, #aeb8bb);
  --ink-3: light-dark(#5e6b70, #8e999d);            /* the lightest text allowed (4.5:1 on every ground) */
  --ink-off: light-dark(#97a0a4, #555e61);          /* disabled only */

  /* Petrol: the one accent. Links, selection, focus, work in progress. */
  --accent: light-dark(#05677c, #55bfd0);
  --accent-2: light-dark(#03586a, #6fd2e0);         /* hover and press */
  --on-accent: light-dark(#ffffff, #03171d);
  --accent-ink: light-dark(#02647a, #6fd2e1);
  --accent-soft: light-dark(#e8f5f9, #14282d);
  --accent-line: light-dark(#8cc9d6, #215864);

  /* States. -ink for words, -mark for signs and bars, -soft for grounds. */
  --ok-ink: light-dark(#1b6843, #85dcaa);
  --ok-mark: light-dark(#2c9064, #5dc291);
  --ok-soft: light-dark(#e7f8ee, #16291f);
  --warn-ink: light-dark(#855412, #f3c76c);
  --warn-mark: light-dark(#c17a14, #edb345);
  --warn-soft: light-dark(#fef4df, #2f2513);
  --bad-ink: light-dark(#b1262a, #fc9c99);
  --bad-mark: light-dark(#d03135, #f36565);
  --bad-soft: light-dark(#feefef, #351d1c);
  --bad-fill: light-dark(#c2272a, #c92f30);
  --bad-fill-2: light-dark(#ac1c20, #b72728);
  --on-bad: #ffffff;
  --off-mark: light-dark(#768387, #788286);

  /* Night: commands and acts on a selection. The same in both themes. */
  --night: light-dark(#102127, #050b0d);
  --night-2: light-dark(#1c2e36, #182226);
  --night-line: light-dark(#2d4148, #2a3539);
  --night-ink: #e9f0f1;
  --night-ink-2: #a6b6ba;
  --night-key: #79d5e3;
  --night-text: #c2dd94;
  --night-warn: #f4c677;
  --night-bad: #ff9592;

  --scrim: light-dark(#0b171d66, #000000a6);
  --shadow-1: 0 1px 2px light-dark(#0b2a3512, #00000052);
  --shadow-2: 0 1px 2px light-dark(#0b2a3514, #00000066), 0 8px 24px -6px light-dark(#0b2a3526, #000000a3);
  --shadow-3: 0 2px 6px light-dark(#0b2a3514, #00000066), 0 28px 64px -16px light-dark(#0b2a354d, #000000d9);

  /* Type: what the system has, named before the generic so that Linux gets its best face. */
  --sans: -apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", "Adwaita Sans", Inter, Cantarell, "Ubuntu Sans", Ubuntu, "Noto Sans", "Liberation Sans", "DejaVu Sans Condensed", system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Adwaita Mono", "Ubuntu Mono", "Noto Sans Mono", "Liberation Mono", "DejaVu Sans Mono", monospace;
  --t1: .75rem;      /* 12 meta, column heads, tags */
  --t2: .8125rem;    /* 13 tables, controls, body */
  --t3: .9375rem;    /* 15 section heads, lead sentence */
  --t4: 1.375rem;    /* 22 page title */
  --t5: 1.875rem;    /* 30 one figure a page */
  --tm: .75rem;      /* mono beside t2 */
  --lh1: 1rem; --lh2: 1.25rem; --lh3: 1.5rem; --lh4: 1.75rem; --lh5: 2.25rem;
  --w-text: 400; --w-mid: 500; --w-head: 600;

  /* Space: eighths of 32. Inside a part 1-3, between parts 4-5, between sections 6. */
  --s1: .25rem; --s2: .5rem; --s3: .75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2rem; --s7: 3rem; --s8: 4rem;

  --r1: 4px;         /* tags, keys, checkboxes */
  --r2: 6px;         /* controls, rows, menus' items */
  --r3: 10px;        /* cards, menus, dialogs */
  --round: 999px;

  /* Density: rows and controls take their height from here. */
  --row: 2.75rem; --control: 2rem; --control-s: 1.625rem; --bar: 3rem; --side: 14.5rem; --gutter: 1.75rem;

  --focus: light-dark(#026e89, #5ed8e7);

  --fast: 90ms; --mid: 160ms; --slow: 240ms; --turn: 1.6s;
  --out: cubic-bezier(.2, .7, .2, 1);
}
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
:root[data-density=compact] { --row: 2.125rem; --control: 1.75rem; --control-s: 1.5rem; }
@media (pointer: coarse) { :root { --row: 3.25rem; --control: 2.75rem; --control-s: 2.25rem; } }
@media (max-width: 56.24em) { :root { --gutter: 1rem; --t4: 1.25rem; } }
@media (prefers-contrast: more) { :root { --line: var(--line-3); --line-2: var(--line-3); --ink-2: var(--ink); --ink-3: var(--ink); } }
@media (prefers-reduced-motion: reduce) { :root { --fast: 0s; --mid: 0s; --slow: 0s; --turn: 0s; } }
}
`
