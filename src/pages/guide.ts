/** The introduction of the reference: what a reader needs to know before the first call. */
import { calendar } from '../calendar.ts'
import { defaultPerPage, maxPerPage } from '../kernel/contract/contract.ts'
import { maxSelectorBytes, maxTerms, maxValues } from '../kernel/contract/selectors.ts'
import { type Html, html } from '../protocols/net/html.ts'

/** Sections of the guide by anchor, with their titles, in order. */
export const guideSections = {
  authentication: 'Authentication',
  errors: 'Errors',
  actions: 'Actions',
  pagination: 'Pagination and sorting',
  'label-selectors': 'Label selectors',
  'rate-limit': 'Rate limit',
  changes: 'Changes',
} as const

/** Renders the guide; `basePath` is the path of the API on this server. */
export function guide(basePath: string): Html {
  const texts = {
    authentication: authentication(basePath),
    errors,
    actions,
    pagination,
    'label-selectors': labelSelectors,
    'rate-limit': rateLimit,
    changes: dated,
  } satisfies Record<keyof typeof guideSections, Html>
  return html`${Object.entries(guideSections).map(
    ([id, title]) => html`<section><h2 id="${id}">${title}</h2>${texts[id as keyof typeof texts]}</section>`,
  )}`
}

const authentication = (basePath: string) => html`
<p>Every path below starts with <code>${basePath}</code>. Each request carries a token of the Project that it is about:</p>
<pre>Authorization: Bearer &lt;token&gt;</pre>
<p>Tokens come from <code>wolke token create</code>. A read-only token may only <code>GET</code>; anything else is answered
with <code>401 token_readonly</code>. A missing or unknown token is answered with <code>401 unauthorized</code>.
Bodies are JSON, sent as <code>Content-Type: application/json</code>. What belongs to another Project does not exist for
this one.</p>`

const errors = html`
<p>Every answer with a status of 400 or more has one shape. Programs decide by <code>code</code>; <code>message</code> is for
people and may change.</p>
<pre>{
  "error": {
    "code": "invalid_input",
    "message": "invalid input in field 'name'",
    "details": { "fields": [{ "name": "name", "messages": ["is required"] }] }
  }
}</pre>
<p>What <code>details</code> holds depends on the code; it may be <code>null</code>. <code>X-Correlation-Id</code>, a header of
every answer, names the request in the log of the server.</p>`

const actions = html`
<p>What takes time is answered with an action. Ask for it again until its <code>status</code> is no longer
<code>running</code>: <code>success</code>, or <code>error</code> with the reason in <code>error</code>.
<code>progress</code> counts from 0 to 100.</p>`

const pagination = html`
<p>Lists come in pages of <code>per_page</code> entries (${defaultPerPage} unless asked otherwise, at most ${maxPerPage});
<code>page</code> counts from 1. <code>meta.pagination</code> says where a page stands: follow <code>next_page</code> until it
is <code>null</code>. <code>last_page</code> and <code>total_entries</code> are <code>null</code> when counting would cost too
much.</p>
<p><code>sort=name</code> or <code>sort=name:asc</code> sorts upwards, <code>sort=name:desc</code> downwards. Repeat the parameter
to sort by several fields. Entries that are equal so far follow in the order of their ids.</p>`

const selectorRows: readonly (readonly [string, string])[] = [
  ['env', 'has the key'],
  ['!env', 'lacks the key'],
  ['env=prod, env==prod', 'has the key with this value'],
  ['env!=prod', 'has the key with another value'],
  ['env in (prod,test)', 'has the key with one of these values'],
  ['env notin (prod,test)', 'has the key with none of these values'],
]

const labelSelectors = html`
<p><code>label_selector</code> keeps the resources whose labels meet every term; commas join terms. Spaces may stand between
tokens, and a missing value is the empty value.</p>
<div class="table"><table><thead><tr><th>Term<th>Matches what<tbody>
${selectorRows.map(([term, meaning]) => html`<tr><td><code>${term}</code><td>${meaning}`)}</table></div>
<pre>GET /servers?label_selector=env%20in%20(prod,test),!retired</pre>
<p>A selector has at most ${maxSelectorBytes} bytes, ${maxTerms} terms and ${maxValues} values in a list.
One that cannot be read is answered with <code>422 invalid_input</code>, which names the position.</p>`

const rateLimit = html`
<p>A Project may send a number of requests an hour, all its tokens together. What was used comes back evenly, so a short
burst passes. Every answer says where the Project stands:</p>
<div class="table"><table><tbody>
<tr><td><code>RateLimit-Limit</code><td>requests an hour
<tr><td><code>RateLimit-Remaining</code><td>requests that are left now
<tr><td><code>RateLimit-Reset</code><td>Unix time in seconds at which all of them are back</table></div>
<p>Beyond the limit a request is answered with <code>429 rate_limit_exceeded</code>. Requests without a valid token are counted
by client network.</p>`

const dated = html`
<h3 id="list-actions-removed">30 January 2025: listing all actions was removed</h3>
<p><code>GET /actions</code> no longer lists every action of a Project; without ids it is answered with
<code>410 deprecated_api_endpoint</code>. Ask for actions by their ids, which every call that starts one returns:</p>
<pre>GET /actions?id=4711&amp;id=4712
GET /actions/4711</pre>
<p>The actions of one family or one resource are listed below it, as in <code>GET /servers/actions</code> and
<code>GET /servers/{id}/actions</code>.</p>
${calendar.map(({ from, summary }) => html`<h3>${longDate(from)}</h3><p>${summary}.</p>`)}`

function longDate(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
