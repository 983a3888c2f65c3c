import { expect, test } from 'vitest'
import { isTimeZone, nextTime } from './next-time.ts'

const weekly = { period: 'weekly', day: 1, hour: 8, timeZone: 'Europe/Berlin' } as const
const monthly = { period: 'monthly', day: 31, hour: 0, timeZone: 'UTC' } as const

test.each([
  ['a week ahead', weekly, '2026-05-04T06:00:00.000Z', '2026-05-11T06:00:00.000Z'],
  ['later on the same day', weekly, '2026-05-04T05:59:59.999Z', '2026-05-04T06:00:00.000Z'],
  ['across the change to winter time', weekly, '2026-10-20T00:00:00.000Z', '2026-10-26T07:00:00.000Z'],
  ['a Sunday', { ...weekly, day: 7 }, '2026-05-04T06:00:00.000Z', '2026-05-10T06:00:00.000Z'],
  [
    'a day that is another one in UTC',
    { ...weekly, hour: 1, timeZone: 'Pacific/Auckland' },
    '2026-05-01T00:00:00.000Z',
    '2026-05-03T13:00:00.000Z',
  ],
  ['the last day of a short month', monthly, '2026-01-31T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
  ['the first of the next month', { ...monthly, day: 1 }, '2026-12-02T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['a skipped hour', { ...weekly, day: 7, hour: 2 }, '2026-03-28T12:00:00.000Z', '2026-03-29T01:00:00.000Z'],
  ['after a skipped hour', { ...weekly, day: 7, hour: 2 }, '2026-03-29T01:00:00.000Z', '2026-04-05T00:00:00.000Z'],
  ['a half-hour zone', { ...weekly, timeZone: 'Asia/Kolkata' }, '2026-05-01T00:00:00.000Z', '2026-05-04T02:30:00.000Z'],
])('the next time of a schedule is %s', (_, times, after, expected) => {
  expect(nextTime(times, after)).toBe(expected)
})

test('a repeated hour counts once', () => {
  const times = { ...weekly, day: 7, hour: 2 }
  const first = nextTime(times, '2026-10-24T12:00:00.000Z')
  expect(['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']).toContain(first)
  expect(nextTime(times, first)).toBe('2026-11-01T01:00:00.000Z')
})

test('a time zone has a name that the server knows', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Base', '', '+02:00'].map(isTimeZone)).toEqual([true, true, false, false, false])
})
