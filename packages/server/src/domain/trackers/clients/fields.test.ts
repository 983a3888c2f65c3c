import { expect, test } from 'vitest'
import { TrackerError } from './exchange.ts'
import { fieldsOf } from './fields.ts'

test.each([
  ...[
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//x',
    '',
  ],
  `https://x.example/${'y'.repeat(2048)}`,
])('the address %j of a tracker is rejected', (url) => {
  expect(() => fieldsOf({ url }).address('url')).toThrow(TrackerError)
})

test.each(['https://x.example/issues/1', 'http://10.0.0.1:3000/a/b'])('the address %j of a tracker is read', (url) => {
  expect(fieldsOf({ url }).address('url')).toBe(url)
})
