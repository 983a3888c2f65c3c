import { expect, test } from 'vitest'
import { copierOf } from './copier.ts'

test('copies have the fields of the template and are independent of each other', () => {
  const template = { 'a "b"': 'c\u2028\n', list: [1], isSet: false, nothing: null, missing: undefined }
  const copy = copierOf(template)
  copy().list.push(2)
  expect(copy()).toStrictEqual(template)
  expect(Object.keys(copy())).toEqual(Object.keys(template))
})
