/** The root page: what this server is, with links to everything else. */
import { publicBase } from '../kernel/contract/bases.ts'
import { consoleBase } from '../kernel/http/admission/console-api.ts'
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'
import { iconLink } from '../look/icon.ts'
import { logo } from '../look/texts.ts'
import { Html, html } from '../protocols/net/html.ts'
import { version } from '../version.ts'
import { htmlPage } from './html-page.ts'
import { homeStyle } from './style.ts'

interface Link {
  /** The key in the JSON reply. */
  readonly key: string
  readonly path: string
  readonly title: string
  readonly about: string
}

const links: readonly Link[] = [
  { key: 'console', path: consoleBase, title: 'Console', about: 'Sign in, and manage Projects with a browser' },
  {
    key: 'reference',
    path: '/docs',
    title: 'API reference',
    about: 'Every endpoint with its parameters, replies and errors',
  },
  { key: 'openapi', path: `${publicBase}/openapi.json`, title: 'OpenAPI document', about: 'The same for programs' },
  {
    key: 'changes',
    path: `${publicBase}/changes`,
    title: 'Dated changes',
    about: 'When the API changed, and what holds today',
  },
  { key: 'health', path: '/health', title: 'Health', about: 'Whether this server can do its work' },
]

const root: Link = {
  key: 'ca',
  path: `${publicBase}/ca.pem`,
  title: 'Root certificate',
  about: 'Trust it to accept the managed certificates that are issued here',
}

/** GET /: HTML for browsers, JSON for programs. `hasRoot`: the installation has an embedded certificate authority. */
export function homePage({ hasRoot }: { hasRoot: boolean }): OpenPage {
  const all = hasRoot ? [...links, root] : links
  const body = JSON.stringify({
    name: 'Wolke',
    version,
    api: publicBase,
    links: Object.fromEntries(all.map(({ key, path }) => [key, path])),
  })
  const page = render(all)
  return {
    path: '/',
    answer: async () => ({ status: 200, type: 'application/json; charset=utf-8', body }),
    html: async () => htmlPage(page),
  }
}

function render(all: readonly Link[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wolke</title>
${new Html(iconLink)}
<style>${new Html(homeStyle)}</style>
</head>
<body>
<main>
${new Html(logo)}
<h1>Wolke</h1>
<p class="lead">A cloud that you run yourself. Its API begins at <code>${publicBase}</code> and takes the token of a Project.
<span class="faint">Version ${version}.</span></p>
<dl>${all.map(
    ({ path, title, about }) => html`
<div><dt><a href="${path}">${title}</a><dd>${about}</div>`,
  )}
</dl>
</main>
</body>
</html>
`.toString()
}
