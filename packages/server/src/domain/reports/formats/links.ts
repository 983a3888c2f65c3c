import { objectsOf, textOf } from './json-fields.ts'
import type { Link } from './report.ts'
import { shorten } from './shorten.ts'

/** The links of a finding that are safe to show, each address once. */
export function readLinks(value: unknown, pointer: string, dropped: (pointer: string) => void): Link[] {
  const links = new Map<string, Link>()
  for (const [index, entry] of objectsOf(value).entries()) {
    const url = webUrl(entry.url)
    const name = textOf(entry.name)
    if (!url) dropped(`${pointer}/${index}/url`)
    else if (!links.has(url)) links.set(url, { name: name && shorten(name.trim(), 255), url })
  }
  return [...links.values()]
}

const maxUrlLength = 2048

/** The address if it is one that a browser may be sent to; never `javascript:` and its like. */
export function webUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maxUrlLength) return undefined
  const url = value.trim()
  return /^(?:https?|ftp):\/\/[^\s\p{Cc}]+$/iu.test(url) ? url : undefined
}
