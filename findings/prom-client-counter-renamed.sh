#!/usr/bin/env bash
# prom-client 15.1.3 for Node.js: the names of counters are changed for good by the first answer in the format of OpenMetrics. A
# counter `jobs_total` is `jobs_total` in the older text format before it, and `jobs` ever after, in every registry that has
# it. Whoever answers in both formats by what the scraper accepts (Prometheus asks for OpenMetrics, curl does not) finds that
# queries and alerts on `jobs_total` go empty for the others, without an error. Histograms and gauges keep their names.
#
# Seen (sample lines of the older format, before and after one answer in the other format):
#   two registries with the same counter   jobs_total 1    then  jobs 1
#   one registry, setContentType           jobs_total 1    then  jobs 1
#   a histogram                            took_count 1    then  took_count 1
#
# Fails when this changes. Needs node and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --ignore-scripts prom-client@15.1.3 >/dev/null

cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { Counter, Histogram, Registry } from 'prom-client'

const { OPENMETRICS_CONTENT_TYPE: openMetrics, PROMETHEUS_CONTENT_TYPE: older } = Registry

/** The line of a sample in the older format. */
async function sampleIn(registry, name) {
  const lines = (await registry.metrics()).split('\n')
  return lines.find((line) => line.startsWith(name) && !line.includes('{'))
}

async function seen(title, read, answerOtherwise, expected) {
  const before = await read()
  await answerOtherwise()
  const after = await read()
  console.log(`${title.padEnd(38)} ${before.padEnd(15)} then  ${after}`)
  assert.deepEqual([before, after], expected)
}

const [text, open] = [new Registry(older), new Registry(openMetrics)]
new Counter({ name: 'jobs_total', help: 'Jobs', registers: [text, open] }).inc()
new Histogram({ name: 'took', help: 'Time', registers: [text, open] }).observe(1)
const renamed = ['jobs_total 1', 'jobs 1']
await seen('two registries with the same counter', () => sampleIn(text, 'jobs'), () => open.metrics(), renamed)
await seen('a histogram', () => sampleIn(text, 'took_count'), () => open.metrics(), ['took_count 1', 'took_count 1'])

const one = new Registry(older)
new Counter({ name: 'jobs_total', help: 'Jobs', registers: [one] }).inc()
const answerOtherwise = async () => {
  one.setContentType(openMetrics)
  await one.metrics()
  one.setContentType(older)
}
await seen('one registry, setContentType', () => sampleIn(one, 'jobs'), answerOtherwise, renamed)
JS

node -p '"prom-client " + require("prom-client/package.json").version'
node seen.mjs
