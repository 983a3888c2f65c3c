/** Converts the name of a tool to an id: `Semgrep OSS` and `semgrep` are one tool. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .slice(0, 300)
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|-$/g, '')
  if (/^semgrep(?:$|-)/.test(slug)) return 'semgrep'
  return slug === '' ? 'unknown' : slug
}
