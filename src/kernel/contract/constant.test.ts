import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constantFormWith, constantJson } from './constant.ts'

test('a form is the same until the thing or anything that it is shown with is another one', () => {
  const form = constantFormWith((thing: { readonly id: number }, isOn: boolean, part: { readonly name: string }) => {
    return { ...thing, isOn, ...part }
  })
  const thing = { id: 1 }
  const part = { name: 'a' }
  const first = form(thing, true, part)
  assert.equal(form(thing, true, part), first)
  assert.equal(constantJson(first), '{"id":1,"isOn":true,"name":"a"}')
  assert.deepEqual(form(thing, false, part), { id: 1, isOn: false, name: 'a' })
  assert.deepEqual(form(thing, true, { name: 'b' }), { id: 1, isOn: true, name: 'b' })
  assert.deepEqual(form(thing, true, part), first)
  assert.notEqual(form({ id: 1 }, true, part), form(thing, true, part))
})
