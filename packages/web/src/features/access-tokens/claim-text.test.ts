import { expect, test } from 'vitest'
import { patternsIn, textOf } from './claim-text.ts'

test('claims are written one per line and read again', () => {
  const patterns = { project_path: ['acme/*', 'acme-labs/site'], sub: ['repo:acme/*:ref=main'] }
  expect(textOf(patterns)).toBe('project_path = acme/*, acme-labs/site\nsub = repo:acme/*:ref=main')
  expect(patternsIn(textOf(patterns))).toEqual({ patterns })
  expect(patternsIn(' \n a=b ,\n')).toEqual({ patterns: { a: ['b'] } })
})

test.each(['project_path', 'project_path =', '= x', 'project_path = ,'])('the line %j is rejected', (line) => {
  expect(patternsIn(line).problem).toContain('claim = pattern')
})
