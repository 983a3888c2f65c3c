import { expect, test } from 'vitest'
import { loadRatings, loadScores, severityOfScore, severityOfVectors } from './cvss-score.ts'

const scoreOf = loadScores()

// Vectors from FIRST's published examples and from well-known advisories.
test.for([
  ['AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
  ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
  ['AV:L/AC:H/Au:N/C:C/I:C/A:C', 6.2],
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', 7.5],
  ['CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
  ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
  ['CVSS:3.0/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
  ['CVSS:3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:L', 4.2],
  ['CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
  ['CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 8.7],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
  // Other metrics do not affect the base score.
  ['AV:N/AC:L/Au:N/C:N/I:N/A:C/E:U/RL:OF/RC:C', 7.8],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U', 9.8],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 8.7],
] as const)('%s has the score %f', ([vector, score]) => {
  expect(scoreOf(vector)).toBe(score)
})

test.for([
  '',
  'none',
  'AV:N',
  'CVSS:3.1/AV:N',
  'AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  'CVSS:3.1/AV:Z/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  'CVSS:9.9/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  `CVSS:3.1/${'AV:N/'.repeat(10_000)}`,
])('%s has no score', (vector) => expect(scoreOf(vector)).toBeUndefined())

test('a score maps to a severity, and the worst of several vectors counts', () => {
  expect([0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 10].map(severityOfScore)).toEqual([
    ...['info', 'low', 'low', 'medium', 'medium', 'high', 'high', 'critical', 'critical'],
  ])
  const vectors = ['AV:L/AC:H/Au:M/C:N/I:P/A:N', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 'broken'].map(
    (vector) => ({
      vector,
    }),
  )
  expect(severityOfVectors(vectors, scoreOf)).toBe('high')
  expect(severityOfVectors([{ vector: 'broken' }], scoreOf)).toBeUndefined()
})

test('a rating uses the severity names of its version and respects the other metrics', async () => {
  const rate = loadRatings()
  expect(
    [
      'AV:N/AC:L/Au:N/C:C/I:C/A:C',
      'AV:N/AC:L/Au:N/C:N/I:N/A:N',
      'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U',
      'CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
      'CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U',
      'broken',
    ].map(rate),
  ).toEqual([
    { version: '2.0', baseScore: 10, overallScore: 10, severity: 'high' },
    { version: '2.0', baseScore: 0, overallScore: 0, severity: 'low' },
    { version: '3.1', baseScore: 9.8, overallScore: 9, severity: 'critical' },
    { version: '3.1', baseScore: 0, overallScore: 0, severity: 'none' },
    { version: '4.0', baseScore: 8.7, overallScore: 6.3, severity: 'medium' },
    undefined,
  ])
})
