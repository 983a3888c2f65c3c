import { expect, test } from 'vitest'

const files = import.meta.glob<{ texts: Record<string, unknown> }>('../**/texts.ts', { eager: true })

/** Words that end like a plural and may follow the number one. */
const singular = new Set([
  'is',
  'was',
  'has',
  'as',
  'its',
  'this',
  'stands',
  'stays',
  'loses',
  'applies',
  'awaits',
  'uses',
  'keeps',
])

const isText = (text: unknown): text is (...values: unknown[]) => unknown => typeof text === 'function'

/** Calls a text with the number one for each value. A few need texts instead. */
function shownFor(text: (...values: unknown[]) => unknown): string {
  const all = (value: unknown) => Array.from({ length: text.length }, () => value)
  try {
    return String(text(...all(1)))
  } catch {
    return String(text(...all('1')))
  }
}

test('texts about one thing use the singular', () => {
  const wrong: string[] = []
  for (const [file, { texts }] of Object.entries(files)) {
    for (const [name, text] of Object.entries(texts)) {
      if (!isText(text)) continue
      const shown = shownFor(text)
      // "The first 1 rows" is never shown: limits are larger.
      for (const [, word = ''] of shown.matchAll(/(?<!(?:first|newest|most) )\b1 ([a-z]+s)\b/g)) {
        if (!singular.has(word)) wrong.push(`${file}: ${name}: ${shown}`)
      }
    }
  }
  expect(Object.keys(files).length).toBeGreaterThan(20)
  expect(wrong).toEqual([])
})
