/** Parsed headers of one part of a form. */
export interface PartHeaders {
  name: string
  /** Absent in a text part, empty when the form's file field was left empty. */
  filename: string | undefined
  charset: string | undefined
}

/** Raw header values by lower-case name, decoded as Latin-1. */
export type HeaderLines = Record<string, string[] | undefined>

/** Parses the headers of a part. Returns `undefined` when they do not contain the name of a form field. */
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

/** Prefers `filename*`: RFC 7578 defines only `filename`, but clients that send both (.NET) put the real name there. */
function readFilename(plain: string | undefined, extended: string | undefined): string | undefined {
  const decoded = extended === undefined ? undefined : readExtended(extended)
  if (decoded !== undefined) return decoded
  if (plain !== undefined) return fromUtf8(plain.replace(/%22|%0[AD]/gi, decodeURIComponent))
  return extended
}

/** Decodes an extended value of RFC 5987, such as `UTF-8''na%C3%AFve.png`. */
function readExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1|us-ascii)'[^']*'(.*)$/is.exec(value) ?? []
  if (charset === '') return undefined
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return charset.toLowerCase() === 'iso-8859-1' ? bytes : fromUtf8(bytes)
}

/** Matches `; name="quoted"`, `; name=token`, or nothing between two semicolons. */
// Linear time: it is sticky, so an attempt begins only where the last match ended.
const parameter = /;\s*(?:([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"[^;]*|([^;"]*)))?/sy

/** Splits a header into its value and parameters. The parameters are undefined when they are malformed. */
export function readParameters(line: string): [value: string, parameters: Map<string, string> | undefined] {
  const value = line.split(';', 1)[0] ?? ''
  const parameters = new Map<string, string>()
  parameter.lastIndex = value.length
  while (parameter.lastIndex < line.length) {
    const [found, name, quoted, token] = parameter.exec(line) ?? []
    if (found === undefined) return [value.trim().toLowerCase(), undefined]
    // A backslash escapes a quote or a backslash; before other characters it is part of a Windows path.
    const text = quoted?.replace(/\\(["\\])/g, '$1') ?? token?.trim() ?? ''
    if (name !== undefined && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), text)
  }
  return [value.trim().toLowerCase(), parameters]
}

const fromUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8')
