import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formats } from './formats.ts'
import { readable } from './unsupported.ts'

const root = new URL('../../../../../../', import.meta.url)
const names = formats.map(({ name }) => name).sort()

test('every folder with fixtures is a format', () => {
  const here = new URL('.', import.meta.url)
  expect(
    readdirSync(here)
      .filter((name) => existsSync(new URL(`${name}/fixtures/`, here)))
      .sort(),
  ).toEqual(names)
})

test.each(['README.md', 'docs/compatibility.md'])('%s names every format', (file) => {
  expect(missingIn(readFileSync(new URL(file, root), 'utf8'))).toEqual([])
})

test('both texts of the UI about formats name every format', () => {
  const source = readFileSync(new URL('packages/web/src/features/reports/texts.ts', root), 'utf8')
  const texts = source.split('\n').filter((line) => line.includes('SARIF'))
  expect(texts.map(missingIn)).toEqual([[], []])
})

test('the rejection of an unknown format names every format', () => {
  expect(missingIn(readable)).toEqual([])
})

function missingIn(text: string): string[] {
  const lower = text.toLowerCase()
  return names.filter((name) => !lower.includes(name) && !lower.includes(name.replaceAll('-', ' ')))
}
