import { expect, test } from 'vitest'
import { display } from '../data/display.ts'
import {
  counted,
  formatAgo,
  formatBytes,
  formatDay,
  formatDuration,
  formatMoment,
  formatPercent,
  formatTime,
} from './format.ts'

const now = Date.parse('2026-01-10T12:00:00Z')
const inSeconds = (seconds: number) => formatAgo(new Date(now + seconds * 1000).toISOString(), now)
const [minute, hour, day] = [60, 3600, 24 * 3600]

test.each([
  [7 * day - 2, 'in 7 days'],
  [day - 2, 'in 1 day'],
  [day, 'in 1 day'],
  [23 * hour, 'in 23 hours'],
  [hour - 1, 'in 1 hour'],
  [90 * minute, 'in 2 hours'],
  [10 * minute - 3, 'in 10 minutes'],
  [59, 'in less than a minute'],
  [60 * day - 5, 'in 2 months'],
  [365 * day, 'in 1 year'],
])('%d seconds ahead is rounded to: %s', (seconds, words) => {
  expect(inSeconds(seconds)).toBe(words)
})

test.each([
  [-30, 'just now'],
  [-90, '1 minute ago'],
  [-(day - 1), '23 hours ago'],
  [-day, 'yesterday'],
  [-(8 * day), 'last week'],
])('%d seconds from now is counted in whole units: %s', (seconds, words) => {
  expect(inSeconds(seconds)).toBe(words)
})

test.each([
  ['iso', 'Europe/Rome', '2026-01-31 14:05:09', '2026-01-31'],
  ['iso', 'Asia/Tokyo', '2026-01-31 22:05:09', '2026-01-31'],
  ['day_month', 'UTC', '31 Jan 2026, 13:05:09', '31 Jan 2026'],
  ['month_day', 'America/New_York', 'Jan 31, 2026, 8:05:09 AM', 'Jan 31, 2026'],
] as const)('a time in the format %s in %s is %s', (format, zone, time, day) => {
  const settings = { date_format: format, time_zone: zone }
  expect(formatTime('2026-01-31T13:05:09Z', settings).replaceAll('\u202f', ' ')).toBe(time)
  expect(formatDay('2026-01-31', settings)).toBe(day)
})

test.each([
  ['browser', '1,234 files', '1.5 KiB', '0.25%', '12%'],
  ['comma', '1,234 files', '1.5 KiB', '0.25%', '12%'],
  ['point', '1.234 files', '1,5 KiB', '0,25%', '12%'],
  ['space', '1 234 files', '1,5 KiB', '0,25%', '12%'],
] as const)('counts, sizes and percentages follow the number format %s', (format, count, size, small, large) => {
  const before = display.get()
  display.set({ ...before, number_format: format })
  const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ')
  expect([counted(1234, 'file'), formatBytes(1536), formatPercent(0.0025), formatPercent(0.124)].map(plain)).toEqual([
    ...[count, size, small, large],
  ])
  display.set(before)
})

test.each([
  [30, '0.5 minutes'],
  [5400, '1.5 hours'],
  [24 * 3600, '1 day'],
  [2.25 * 24 * 3600, '2.3 days'],
  [1234.5 * 24 * 3600, '1,235 days'],
])('a duration of %s seconds is %s', (seconds, text) => {
  const before = display.get()
  display.set({ ...before, number_format: 'comma' })
  expect(formatDuration(seconds)).toBe(text)
  display.set(before)
})

test('times are ages, or dates in the chosen format', () => {
  const time = new Date(Date.now() - 3 * 24 * 3600 * 1000).toISOString()
  const settings = { ...display.get(), date_format: 'iso', time_zone: 'UTC' } as const
  expect(formatMoment(time, settings)).toBe('3 days ago')
  expect(formatMoment(time, { ...settings, times: 'absolute' })).toBe(time.slice(0, 19).replace('T', ' '))
})
