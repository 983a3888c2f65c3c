import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shorten } from './shorten.ts'

test('texts are shortened to whole characters, including surrogate pairs', () => {
  const character = fc.constantFrom('a', 'é', '🐞', '語')
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), fc.integer({ min: 3, max: 20 }), (characters, max) => {
      const expected = characters.length <= max ? characters : [...characters.slice(0, max - 3), '...']
      expect(shorten(characters.join(''), max)).toBe(expected.join(''))
    }),
  )
})
