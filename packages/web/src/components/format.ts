const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A size for people: 1 byte, 1023 bytes, 1.5 KiB, 12 MiB. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  if (bytes === 1) return '1 byte'
  const digits = unit === 0 || value >= 10 ? 0 : 1
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${units[unit]}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** `1 file`, `12,000 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
]

/** `3 days ago`, `in 2 hours`, `just now`. */
export function formatAgo(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now'
}

/** In the reader's zone. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** `dependency_scanning` → `Dependency scanning`. */
export function inWords(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `sast` → `SAST`, `dependency_scanning` → `Dependency scanning`. */
export function reportTypeInWords(type: string): string {
  return inWords(type).replace(/^(sast|dast|api)\b/i, (word) => word.toUpperCase())
}
