/** Returns whether a name is one of the protected ones, in which `*` stands for any characters, as on GitLab. */
export const isProtected = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesPattern(name, pattern))

/** Compares the parts between the wildcards in order, which takes linear time for each part. */
function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (parts.length === 1) return name === pattern
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
