import { Type } from 'typebox'
import { maxCountedRows, type Page, type PageRequest } from '../../domain/page.ts'
import { type Bag, isReceivedFile, wellFormed } from '../params/bag.ts'
import { integer } from '../params/input.ts'

const defaultPerPage = 20
const maxPerPage = 100

/** Spread into the input of a list that has parameters of its own. */
export const pageProperties = {
  page: integer({ default: 1, description: 'Page number, starting at 1' }),
  per_page: integer({
    default: defaultPerPage,
    forbidden: [0],
    description: `Rows per page. Default: ${defaultPerPage}. Maximum: ${maxPerPage}; larger values are reduced to it`,
  }),
}

export const pageInput = Type.Object(pageProperties)

export function readPage(input: { page?: unknown; per_page?: unknown }): PageRequest {
  const { page: asked = 1, per_page: size = defaultPerPage } = input
  const perPage = typeof size === 'number' && size > 0 ? Math.min(size, maxPerPage) : defaultPerPage
  const furthest = Math.floor(Number.MAX_SAFE_INTEGER / perPage)
  const page = typeof asked === 'number' ? Math.min(Math.max(asked, 1), furthest) : 1
  return { page, perPage, offset: (page - 1) * perPage }
}

interface ListAnswer {
  perPage: number
  /** Absolute, as the client reached it; a query in it is ignored. */
  url: string
  /** Everything in effect, `{ ...bag, ...input }`: what the caller sent, route parameters such as `id`, defaults. */
  parameters: Bag
}

interface PageAnswer extends ListAnswer, Omit<Page<unknown>, 'rows'> {
  page: number
  rowCount: number
}

/** Each link repeats the query, and clients take no more than 16 KiB of headers: of long ones only the next page is told. */
const maxLinkLength = 8 * 1024

/** GitLab's headers of an offset page. One that does not apply is blank; those of an uncounted list are left out. */
export function pageHeaders(answer: PageAnswer): Record<string, string> {
  const { page, perPage, rowCount, total } = answer
  const lastPage = total === undefined ? undefined : Math.max(1, Math.ceil(total / perPage))
  const isPastEnd = lastPage === undefined ? rowCount === 0 : page > lastPage
  const hasNext = lastPage === undefined ? answer.hasNext === true : page < lastPage
  const hasPrevious = page > 1 && !isPastEnd
  const isCounted = total !== undefined && total <= maxCountedRows

  const target = pageTarget(answer)
  const next = hasNext ? `<${target(page + 1)}>; rel="next"` : undefined
  const links = [
    hasPrevious && `<${target(page - 1)}>; rel="prev"`,
    next,
    `<${target(1)}>; rel="first"`,
    isCounted && `<${target(lastPage ?? 1)}>; rel="last"`,
  ]
  const all = links.filter(Boolean).join(', ')
  const link = all.length <= maxLinkLength ? all : next

  return {
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': hasNext ? String(page + 1) : '',
    'X-Prev-Page': hasPrevious ? String(page - 1) : '',
    ...(isCounted && { 'X-Total': String(total), 'X-Total-Pages': String(lastPage) }),
    ...(link !== undefined && { Link: link }),
  }
}

/** One page of a list that goes on after its last row. */
export interface KeysetPage<T> extends KeysetEnd {
  rows: T[]
}

interface KeysetEnd {
  /** The parameters that ask for what follows; undefined at the end. */
  next: Readonly<Record<string, string | number>> | undefined
}

type KeysetAnswer = ListAnswer & KeysetEnd

/** `pagination=keyset`: the next page is the only one known, and at the end there is no header at all. */
export function keysetHeaders({ url, parameters, perPage, next }: KeysetAnswer): Record<string, string> {
  if (!next) return {}
  const query = queryText({ ...parameters, page: undefined, per_page: perPage, ...next })
  return { Link: `<${address(url)}?${query}>; rel="next"` }
}

function pageTarget({ url, parameters, perPage }: PageAnswer): (page: number) => string {
  // Everything but the page number is the same in all four targets, so it is written once.
  const before = queryText(parameters, (name) => name < 'page')
  const after = queryText({ ...parameters, per_page: perPage }, (name) => name > 'page')
  const start = `${address(url)}?${before === '' ? '' : `${before}&`}page=`
  return (page) => `${start}${page}&${after}`
}

/** Links land in logs and histories; unlike GitLab's, ours never repeat a secret. The client sends it again anyway. */
const secrets = new Set(['private_token', 'access_token', 'bearer_token', 'job_token'])

/** Sorted by name and nested as the parser of queries reads it. */
function queryText(parameters: Bag, choose: (name: string) => boolean = () => true): string {
  const pairs: string[] = []
  for (const name of Object.keys(parameters).sort()) {
    if (!secrets.has(name) && choose(name)) addPairs(pairs, name, parameters[name])
  }
  return pairs.join('&')
}

function addPairs(pairs: string[], name: string, value: unknown): void {
  if (value === undefined || isReceivedFile(value)) return
  if (Array.isArray(value)) {
    for (const element of value) addPairs(pairs, `${name}[]`, element)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value).sort(byKey)) addPairs(pairs, `${name}[${key}]`, element)
  } else {
    pairs.push(`${escapeQuery(name)}=${escapeQuery(String(value ?? ''))}`)
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/** As Ruby's `CGI.escape`, which writes GitLab's links. */
function escapeQuery(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text
  return encodeURIComponent(wellFormed(text))
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, percent)
}

/** Without its query, and without anything that would end the link early. */
function address(url: string): string {
  const query = url.indexOf('?')
  return (query === -1 ? url : url.slice(0, query)).replace(/[<>"\\\s]/g, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
