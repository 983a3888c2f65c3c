import { expect, test } from 'vitest'

const sources = Object.entries(
  import.meta.glob<string>('../**/*.tsx', { query: '?raw', import: 'default', eager: true }),
)
/** Drawings that are no charts. */
const pictures = ['./mark.tsx', '../features/account/two-factor/qr-code.tsx']

test('the UI has three kinds of charts, which need no library, and each drawing names its kind', () => {
  expect(sources.length).toBeGreaterThan(200)
  const kinds = sources.flatMap(([, text]) => [...text.matchAll(/data-chart="(\w+)"/g)].map(([, kind]) => kind))
  // Decision 136: a fourth kind is the time for a library.
  expect(kinds.sort()).toEqual(['area', 'shares', 'sparkline'])
  const drawings = sources.filter(([, text]) => /<svg\b|<canvas\b|flexGrow/.test(text))
  const unnamed = drawings.filter(([path, text]) => !pictures.includes(path) && !text.includes('data-chart='))
  expect(unnamed.map(([path]) => path)).toEqual([])
})
