import { type Display, display } from '../data/display.ts'

type NumberFormat = Display['number_format']

/** Locales of the number formats; of France for its narrow spaces. The words of the UI are always English. */
const numberLocales = { browser: undefined, comma: 'en-US', point: 'de-DE', space: 'fr-FR' } as const
const formatters = new Map<string, Intl.NumberFormat>()

/** Formats a number with the separators that the user chose. Lists format many, so the formatters are kept. */
export function formatNumber(value: number, digits = 0, format: NumberFormat = display.get().number_format): string {
  const key = `${format} ${digits}`
  const known = formatters.get(key)
  const options = { maximumFractionDigits: digits, useGrouping: 'always' } as const
  const formatter = known ?? new Intl.NumberFormat(numberLocales[format], options)
  formatters.set(key, formatter)
  return formatter.format(value)
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size: `1 byte`, `1,023 bytes`, `1.5 KiB`, `12 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  if (bytes === 1) return '1 byte'
  const digits = unit === 0 || value >= 10 ? 0 : 1
  return `${formatNumber(value, digits)} ${units[unit]}`
}

export function formatCount(count: number): string {
  return formatNumber(count)
}

/** Formats a count with its noun: `1 file`, `12,000 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Formats a fraction as a percentage with the digits that small values need. */
export function formatPercent(fraction: number): string {
  const percent = fraction * 100
  const rounded = percent >= 10 ? Math.round(percent) : Number(percent.toPrecision(2))
  return `${formatNumber(rounded, maxPercentDigits)}%`
}

const maxPercentDigits = 20

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
]

// Remaining time is always numeric: `in 7 days` is exact, `next week` is not.
const exact = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const remainingSteps = steps.filter(([unit]) => unit !== 'week')

/**
 * Formats a relative time: `3 days ago`, `in 2 hours`, `just now`. Elapsed time counts whole units; remaining time is
 * rounded.
 */
export function formatAgo(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000
  if (seconds > 0) return formatRemaining(seconds)
  const step = steps.find(([, length]) => -seconds >= length)
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now'
}

/** Rounds to the next smaller unit before choosing the unit: one second less than a day is a day, not 23 hours. */
function formatRemaining(seconds: number): string {
  const step = remainingSteps.find(([, length], index) => {
    const [, smaller] = remainingSteps[index + 1] ?? ['second', 1]
    return seconds >= length || Math.round(seconds / smaller) * smaller >= length
  })
  return step ? exact.format(Math.round(seconds / step[1]), step[0]) : 'in less than a minute'
}

const durations = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Formats a duration: `3 days`, `1.5 hours`. Values below ten have one decimal. */
export function formatDuration(seconds: number): string {
  const [name, length] = durations.find(([, length]) => seconds >= length) ?? (['minute', 60] as const)
  const value = seconds / length
  const rounded = value >= 10 ? Math.round(value) : Math.round(value * 10) / 10
  return `${formatNumber(rounded, 1)} ${rounded === 1 ? name : `${name}s`}`
}

/** Formats a time as an age, or as a date where the user prefers dates. */
export function formatMoment(time: string, settings: Display = display.get()): string {
  return settings.times === 'absolute' ? formatTime(time, settings) : formatAgo(time)
}

/** Locales of the date formats. Sweden writes dates as ISO 8601 does. */
const locales = { browser: undefined, iso: 'sv-SE', day_month: 'en-GB', month_day: 'en-US' } as const

type TimeFormat = Pick<Display, 'date_format' | 'time_zone'>

/** Formats an absolute time in the format and the time zone that the user chose. */
export function formatTime(
  time: string,
  { date_format: format, time_zone: timeZone }: TimeFormat = display.get(),
): string {
  return new Date(time).toLocaleString(locales[format], {
    dateStyle: format === 'iso' ? 'short' : 'medium',
    timeStyle: 'medium',
    ...(timeZone && { timeZone }),
  })
}

/** Formats a date without a time of day, such as `2026-01-31`, which is the same day in every time zone. */
export function formatDay(day: string, { date_format: format }: Pick<Display, 'date_format'> = display.get()): string {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  return date.toLocaleDateString(locales[format], { dateStyle: format === 'iso' ? 'short' : 'medium', timeZone: 'UTC' })
}

/** Converts an API name to a label: `dependency_scanning` → `Dependency scanning`. */
export function inWords(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the label of a report type: `sast` → `SAST`, `dependency_scanning` → `Dependency scanning`. */
export function reportTypeInWords(type: string): string {
  return inWords(type).replace(/^(sast|dast|api)\b/i, (word) => word.toUpperCase())
}
