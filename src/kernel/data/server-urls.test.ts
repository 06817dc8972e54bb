import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationOf, parseDatabaseUrl } from './dialect.ts'
import { serverUrls } from './server-urls.ts'

test('a URL of PostgreSQL names one server or several, each of which has all else of it', () => {
  const cases: [string, readonly string[]][] = [
    ['postgres://a/wolke', ['postgres://a/wolke']],
    [
      'postgres://u:p@a:1,b/wolke?prepare=off',
      ['postgres://u:p@a:1/wolke?prepare=off', 'postgres://u:p@b/wolke?prepare=off'],
    ],
    ['postgresql://[::1]:1,[::2]:2/wolke', ['postgresql://[::1]:1/wolke', 'postgresql://[::2]:2/wolke']],
    ['postgres://u:a%2Cb@c,d', ['postgres://u:a%2Cb@c', 'postgres://u:a%2Cb@d']],
    ['postgres://a/w?target_session_attrs=read-write', ['postgres://a/w?target_session_attrs=read-write']],
  ]
  for (const [url, servers] of cases) assert.deepEqual(serverUrls(url), servers, url)
})

test('what is no such URL, or wants a server that takes no writes, is refused', () => {
  const wrong = ['mysql://a/wolke', 'postgres://a:port,b/wolke', 'postgres://a/wolke?target_session_attrs=standby']
  for (const url of wrong) assert.equal(parseDatabaseUrl(url), undefined, url)
})

test('the location for operators names all servers, and no password', () => {
  const url = 'postgres://u:secret@a:1,b:2/wolke?prepare=off'
  assert.equal(locationOf({ engine: 'postgres', url }), 'postgres://a:1,b:2/wolke')
})
