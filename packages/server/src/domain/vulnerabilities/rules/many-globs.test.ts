import { expect, test } from 'vitest'
import { countEvaluations } from './globs.ts'
import { compileRule, firstMatch, type MatchedFinding } from './match-rules.ts'
import type { Rule, RuleMatch } from './rule.ts'

const finding: MatchedFinding = {
  ...{ findingId: 1, paths: ['src/server/handlers/account.ts'], identifiers: new Set(), primary: [] },
  ...{ packageKey: null, packageNames: [], version: null, scanner: 'semgrep', severity: 'high', reportType: 'sast' },
  ...{ refs: ['main'], createdAt: '2026-03-01', epssMillionths: null, isKev: false, hasFix: false },
}

const ruleOf = (id: number, match: RuleMatch): Rule => ({
  ...{ id, level: 'project', projectId: 1, namespaceId: null, position: id, origin: 'user', file: null },
  ...{ createdById: null, createdAt: '', updatedAt: '', name: `${id}`, isEnabled: true, match, action: { hold: true } },
})

const rulesOf = (match: (rule: number) => RuleMatch) =>
  Array.from({ length: 200 }, (_, id) => compileRule(ruleOf(id, match(id))))

/** Returns the number of globs that are evaluated for 100 findings with the same path. */
function evaluationsOf(match: (rule: number) => RuleMatch): number {
  const rules = rulesOf(match)
  const before = countEvaluations()
  for (let count = 0; count < 100; count++) expect(firstMatch(rules, finding, '2026-03-02')).toBeUndefined()
  return countEvaluations() - before
}

const globs = (of: (index: number) => string) => Array.from({ length: 100 }, (_, index) => of(index))

test('200 rules with 100 long globs each evaluate none that other parts of the path exclude', () => {
  expect(evaluationsOf((rule) => ({ paths: globs((index) => `src/server/handlers/part-${rule}-${index}.ts`) }))).toBe(0)
  expect(evaluationsOf((rule) => ({ paths: globs((index) => `**/server/**/part-${rule}-${index}/*.ts`) }))).toBe(0)
  expect(evaluationsOf(() => ({ paths: globs((index) => `src/**/*.t${index}`) }))).toBe(0)
})

test('globs that only an evaluation excludes are evaluated once for a path, and never after a cheaper condition', () => {
  const paths = globs((index) => `src/server/${'?'.repeat(1 + (index % 7))}/*.ts`)
  expect(evaluationsOf(() => ({ paths }))).toBe(200 * 100)
  expect(evaluationsOf(() => ({ paths, severities: ['low'] }))).toBe(0)
  expect(evaluationsOf(() => ({ paths, scanners: ['trivy'] }))).toBe(0)
  expect(evaluationsOf(() => ({ paths, hasFix: true }))).toBe(0)
})
