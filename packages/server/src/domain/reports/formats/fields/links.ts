import type { Link } from '../report.ts'
import { objectsOf, textOf } from './json-fields.ts'
import { shorten } from './shorten.ts'

/** Returns the links that are safe to show, without duplicates. */
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

/** Returns the address if browsers may open it, which excludes schemes such as `javascript:`. */
export function webUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maxUrlLength) return undefined
  const url = value.trim()
  return /^(?:https?|ftp):\/\/[^\s\p{Cc}]+$/iu.test(url) ? url : undefined
}
