import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadXml, type Element, parseXml } from './xml.ts'

const shapeOf = ({ namespace, name, children }: Element): string =>
  `{${namespace}}${name}(${children.map(shapeOf).join(' ')})`

test('a prefix stands for what the nearest element around declares, and for nothing once that has ended', () => {
  const document = '<p:a xmlns:p="1" xmlns="2"><b/><p:c xmlns:p="3"><p:d xmlns=""/><e xmlns=""/></p:c><p:f/></p:a>'
  assert.equal(shapeOf(parseXml(document)), '{1}a({2}b() {3}c({3}d() {}e()) {1}f())')
  assert.throws(() => parseXml('<a><b xmlns:p="1"/><p:c/></a>'), BadXml)
})

test('texts are read with the five entities and numbers, and sections of data as they are', () => {
  const { text } = parseXml('<a>&lt;&#65;&#x42;&amp;<![CDATA[<&lt;]]></a>')
  assert.equal(text, '<AB&<&lt;')
  for (const wrong of ['<a>&</a>', '<a>&b;</a>', '<a>', '</a>', '<a></b>', '<a/><a/>', '<!DOCTYPE a><a/>'])
    assert.throws(() => parseXml(wrong), BadXml, wrong)
})

test('namespaces that many elements have are no way to make much of little', () => {
  const of = (length: number, count: number) => `<a xmlns:x="${'n'.repeat(length)}">${'<x:a/>'.repeat(count)}</a>`
  assert.equal(parseXml(of(1_000, 50)).children.length, 50)
  assert.throws(() => parseXml(of(1_025, 1)), BadXml)
  assert.throws(() => parseXml(of(1_000, 100)), BadXml)
})
