/** What the header lines of one part of a form say. */
export interface PartHeaders {
  name: string
  /** Absent in a text part, empty when the form's file field was left empty. */
  filename: string | undefined
  charset: string | undefined
}

/** Raw header lines by lower-case name, one character per byte. */
export type HeaderLines = Record<string, string[] | undefined>

/** `undefined` when the part does not say which field of a form it is. */
export function readPartHeaders(lines: HeaderLines): PartHeaders | undefined {
  const [type, parameters] = readParameters(lines['content-disposition']?.[0] ?? '')
  const name = parameters?.get('name')
  if (type !== 'form-data' || name === undefined) return undefined
  return {
    name: fromUtf8(name),
    filename: readFilename(parameters?.get('filename'), parameters?.get('filename*')),
    charset: readParameters(lines['content-type']?.[0] ?? '')[1]?.get('charset'),
  }
}

/** RFC 7578 knows only `filename`, but whoever sends `filename*` too (.NET) keeps the real name there. */
function readFilename(plain: string | undefined, extended: string | undefined): string | undefined {
  const decoded = extended === undefined ? undefined : readExtended(extended)
  if (decoded !== undefined) return decoded
  if (plain !== undefined) return fromUtf8(plain.replace(/%22|%0[AD]/gi, decodeURIComponent))
  return extended
}

/** RFC 5987: `UTF-8''na%C3%AFve.png`. */
function readExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1|us-ascii)'[^']*'(.*)$/is.exec(value) ?? []
  if (charset === '') return undefined
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return charset.toLowerCase() === 'iso-8859-1' ? bytes : fromUtf8(bytes)
}

/** `; name="quoted"`, `; name=token`, or nothing between two semicolons. */
const parameter = /;\s*(?:([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"[^;]*|([^;"]*)))?/sy

/** A header value and its parameters; no parameters when they cannot be read to the end. */
export function readParameters(line: string): [value: string, parameters: Map<string, string> | undefined] {
  const value = line.split(';', 1)[0] ?? ''
  const parameters = new Map<string, string>()
  parameter.lastIndex = value.length
  while (parameter.lastIndex < line.length) {
    const [found, name, quoted, token] = parameter.exec(line) ?? []
    if (found === undefined) return [value.trim().toLowerCase(), undefined]
    // A backslash escapes quotes and itself; before anything else it belongs to a Windows path.
    const text = quoted?.replace(/\\(["\\])/g, '$1') ?? token?.trim() ?? ''
    if (name !== undefined && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), text)
  }
  return [value.trim().toLowerCase(), parameters]
}

const fromUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8')
