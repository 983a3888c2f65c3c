import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesAsList } from './json-lines.ts'

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function convert(text: string, size: number): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of linesAsList(inPieces(text, size))) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const document = fc.dictionary(
  fc.constantFrom('a', '}', '{', 'é'),
  fc.constantFrom<unknown>(1, '\n{}\n', '{"', {}, []),
  {
    noNullPrototype: true,
  },
)
const separator = fc.constantFrom('\n', '\r\n', '\n\n', '\n \n\t')
const size = fc.integer({ min: 1, max: 30 })

test('lines are one list with the same documents in the same lines, for all chunk sizes', async () => {
  const lines = fc.tuple(fc.constantFrom('', '\n', ' \n\n'), fc.array(document, { minLength: 2, maxLength: 5 }))
  await fc.assert(
    fc.asyncProperty(lines, separator, fc.boolean(), size, async ([before, documents], between, isEnded, size) => {
      const text = before + documents.map((one) => JSON.stringify(one)).join(between) + (isEnded ? between : '')
      const converted = await convert(text, size)
      expect(JSON.parse(converted)).toEqual(documents)
      expect(converted.split('\n').length).toBe(text.split('\n').length)
    }),
  )
})

test('one document passes unchanged, for all chunk sizes', async () => {
  const text = fc.oneof(
    fc
      .tuple(fc.oneof(document, fc.array(document)), fc.constantFrom(0, 1))
      .map(([one, space]) => JSON.stringify(one, null, space)),
    fc.constantFrom('', '\n', '{', '{}', '{}\n', '{\n}\n{', '[{}\n{}', 'a\n{}', '"{}\n{}"'),
  )
  await fc.assert(
    fc.asyncProperty(text, size, async (text, size) => {
      expect(await convert(text, size)).toBe(text)
    }),
  )
})
