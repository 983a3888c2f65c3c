export function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username
}

export function isPrintable(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}
