import { expect, test } from 'vitest'
import { comparison } from '../testing/results.ts'
import { describeViolation, findViolations, parsePolicy } from './policy.ts'

const counts = comparison({
  ref: 'main',
  critical: { known: 1 },
  high: { new: 2, fixed: 5 },
  low: { new: 1, known: 4 },
})

test.each([
  ['new:critical', []],
  ['new:high', ['2 new findings of severity high or above (new:high)']],
  ['new:low', ['3 new findings of severity low or above (new:low)']],
  ['new', ['3 new findings (new:info)']],
  ['known:critical', ['1 known finding of severity critical (known:critical)']],
  ['any:critical', ['1 finding of severity critical (any:critical)']],
  ['any:low', ['8 findings of severity low or above (any:low)']],
  [
    ' NEW:high , any:critical',
    ['2 new findings of severity high or above (new:high)', '1 finding of severity critical (any:critical)'],
  ],
])('the policy %s is checked', (policy, violations) => {
  expect(findViolations(parsePolicy(policy), counts).map(describeViolation)).toEqual(violations)
})

test.each(['', ' ', 'new:severe', 'fixed:high', 'new:high:low', 'new:high,', 'high'])(
  'the policy "%s" is rejected with an example',
  (policy) => {
    expect(() => parsePolicy(policy)).toThrow("Example: --fail-on 'new:high,any:critical'")
  },
)
