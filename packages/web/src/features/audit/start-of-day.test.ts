import { expect, test } from 'vitest'
import { startOfDay } from './start-of-day.ts'

test.each([
  ['2026-01-31', 0, 'UTC', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31', 1, 'America/New_York', '2026-02-01T05:00:00.000Z'],
  ['2026-07-01', 0, 'Pacific/Auckland', '2026-06-30T12:00:00.000Z'],
  ['2026-04-05', 1, 'Pacific/Auckland', '2026-04-05T12:00:00.000Z'],
  ['today', 0, 'UTC', undefined],
  [undefined, 1, 'UTC', undefined],
])('%s and %s days start in %s at %s', (day, daysLater, zone, start) => {
  expect(startOfDay(day, daysLater, { time_zone: zone })).toBe(start)
})
