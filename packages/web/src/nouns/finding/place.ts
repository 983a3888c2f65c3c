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
    return where ? `${dependency} in ${where}` : dependency
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Finds the code snippet in the raw data of a scanner. Each report format stores it in another field. */
export function codeIn(rawMetadata: string): string | undefined {
  const raw = parsed(rawMetadata)
  if (!isRecord(raw)) return undefined
  const given = textAt(raw, 'raw_source_code_extract') ?? textAt(raw, 'extra', 'lines')
  if (given) return given
  const [place] = Array.isArray(raw['locations']) ? raw['locations'] : []
  const physical = isRecord(place) ? place['physicalLocation'] : undefined
  const snippet = textAt(physical, 'region', 'snippet', 'text') ?? textAt(physical, 'contextRegion', 'snippet', 'text')
  if (snippet) return snippet
  const cause = raw['CauseMetadata']
  const code = isRecord(cause) ? cause['Code'] : undefined
  const lines = isRecord(code) ? code['Lines'] : undefined
  if (!Array.isArray(lines) || lines.length === 0) return undefined
  return lines.map((line) => textAt(line, 'Content') ?? '').join('\n')
}

/** Indents JSON. Returns text that is not JSON unchanged. */
export function prettyJson(text: string): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
