import { texts } from './texts.ts'
/**
 * Formats the location of a finding: `src/app.ts:12-14`, `openssl 3.0.1 in alpine:3.19`, `GET https://…/search (q)`.
 */
export function placeInWords(location: Record<string, unknown>): string {
  const text = (name: string) => textAt(location, name)
  const dependency = packageInWords(location)
  const image = text('image') ?? textAt(location, 'kubernetes_resource', 'container_name')
  const file = text('file')
  const url = [text('hostname'), text('path')].filter(Boolean).join('')
  if (dependency) {
    const where = image ?? file
    return where ? texts.inLabel(dependency, where) : dependency
  }
  if (url) {
    const parameter = text('param') ?? text('parameter')
    return [text('method'), url, parameter && `(${parameter})`].filter(Boolean).join(' ')
  }
  if (file) return file + linesInWords(location)
  return image ?? text('crash_address') ?? text('operating_system') ?? ''
}

/** Returns the name and version of a package, such as `openssl 3.0.1`; undefined for other locations. */
export function packageInWords(location: Record<string, unknown>): string | undefined {
  const name = textAt(location, 'dependency', 'package', 'name')
  return name && [name, textAt(location, 'dependency', 'version')].filter(Boolean).join(' ')
}

export function linesInWords({ start_line: start, end_line: end }: Record<string, unknown>): string {
  if (typeof start !== 'number') return ''
  return typeof end === 'number' && end > start ? `:${start}-${end}` : `:${start}`
}

export function textAt(value: unknown, ...names: string[]): string | undefined {
  let found = value
  for (const name of names) found = isRecord(found) ? found[name] : undefined
  return typeof found === 'string' && found !== '' ? found : typeof found === 'number' ? String(found) : undefined
}

/** Returns true for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Indents JSON. Returns text that is not JSON unchanged. */
export function prettyJson(text: string): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/** Parses JSON; undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
