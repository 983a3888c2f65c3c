/**
 * Formats a value like Ruby, such as `{"file"=>"main.rb", "start_line"=>3}`, because GitLab's exports have this format.
 */
export function rubyText(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(rubyText).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value).map(([key, item]) => `${quoted(key)}=>${rubyText(item)}`)
  return `{${entries.join(', ')}}`
}

const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\v': '\\v',
  '\b': '\\b',
  '\x07': '\\a',
  '\x1b': '\\e',
}

function quoted(text: string): string {
  // In Ruby strings, # before one of these characters begins an interpolation.
  const escaped = text.replace(/#(?=[{$@])|["\\]|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, (character) => {
    if (character === '#') return '\\#'
    const code = character.codePointAt(0) ?? 0
    return (
      named[character] ??
      (code > 0xffff ? `\\u{${hex(code, 0)}}` : code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`)
    )
  })
  return `"${escaped}"`
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0')
}
