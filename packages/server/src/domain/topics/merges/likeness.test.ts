import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formOf, isMisspelling, reasonsOf, scoreOf } from './likeness.ts'
import { findNeighbours } from './neighbours.ts'

const compare = (a: string, b: string) => {
  const [left, right] = [formOf(a), formOf(b)]
  return left.stem === right.stem ? reasonsOf(left, right) : undefined
}

test.each([
  ['machine-learning', 'machinelearning', ['separators']],
  ['machine learning', 'Machine_Learning', ['case', 'separators']],
  ['database', 'databases', ['plural']],
  ['library', 'libraries', ['plural']],
  ['react', 'react-js', ['js']],
  ['vue.js', 'vuejs', ['separators']],
  ['react-hooks', 'reacthook', ['plural']],
])('%s and %s are similar because of %j', (a, b, reasons) => {
  expect(compare(a, b)).toEqual(reasons)
  expect(compare(b, a)).toEqual(reasons)
})

test.each([
  ['c', 'c++'],
  ['c', 'cs'],
  ['js', 'j'],
  ['class', 'clas'],
  ['python-2', 'python-3'],
  ['redis', 'redi'],
  ['---', '...'],
])('%s and %s are not similar', (a, b) => expect(compare(a, b)).toBeUndefined())

test.each([
  ['kubernetes', 'kubernets', true],
  ['kubernetes', 'kuberentes', true],
  ['kubernetes', 'kubermetes', true],
  ['kubernetes', 'kubernetes', false],
  ['kubernetes', 'kubrnets', false],
  ['python2', 'python3', false],
  ['python', 'python3', false],
  ['react', 'reacts', false],
  ['bcbaca', 'bcbcaaa', false],
])('%s and %s are one typo apart: %s', (a, b, expected) => {
  expect(isMisspelling(a, b)).toBe(expected)
  expect(isMisspelling(b, a)).toBe(expected)
})

test('a score is between 0 and 1, and shared projects never lower it', () => {
  expect(scoreOf(['separators'], 0)).toBe(0.97)
  expect(scoreOf([], 0)).toBe(0)
  expect(scoreOf(['js', 'plural'], 0)).toBeLessThan(scoreOf(['js'], 0))
  expect(scoreOf(['spelling'], 1)).toBeGreaterThan(scoreOf(['spelling'], 0))
  expect(scoreOf(['separators'], 1)).toBeLessThanOrEqual(1)
})

test('findNeighbours finds every pair of words that is one typo apart', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 5, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 30 }), async (words) => {
      const found = new Set<string>()
      await findNeighbours(words, (one, two) => {
        found.add(`${Math.min(one, two)} ${Math.max(one, two)}`)
      })
      for (let one = 0; one < words.length; one++) {
        for (let two = one + 1; two < words.length; two++) {
          if (isMisspelling(words[one] ?? '', words[two] ?? '')) expect(found.has(`${one} ${two}`)).toBe(true)
        }
      }
    }),
  )
})
