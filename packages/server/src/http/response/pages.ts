import { Type } from 'typebox'
import { maxCountedRows, type Page, type PageRequest } from '../../domain/page.ts'
import { integer } from '../params/input.ts'
import { emptyParams, isReceivedFile, type RawParams, wellFormed } from '../params/raw-params.ts'

const defaultPerPage = 20
const maxPerPage = 100

/** Pagination parameters, for the input of lists with other parameters. */
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

interface ListResponse {
  perPage: number
  /** Absolute URL of the request. Its query is ignored. */
  url: string
  /** All effective parameters: those that the client sent, path parameters such as `id`, and defaults. */
  parameters: RawParams
}

/** A page that was requested by its number. */
export interface NumberedPage<T> extends Page<T> {
  /** Cursor of the next page, if page numbers do not reach it. */
  nextCursor?: string | undefined
}

/** What the headers of a page are built from, besides the request. */
export type PageEnd = { rowCount: number } & (Omit<NumberedPage<unknown>, 'rows'> | KeysetEnd)

interface PageResponse extends ListResponse, Omit<NumberedPage<unknown>, 'rows'> {
  page: number
  rowCount: number
}

/** Maximum length of all links. Clients accept at most 16 KiB of headers, so beyond it only `next` is sent. */
const maxLinkLength = 8 * 1024

/** Returns GitLab's headers of an offset page. Inapplicable headers are blank; totals of uncounted lists are omitted. */
export function pageHeaders(answer: PageResponse): Record<string, string> {
  const { page, perPage, rowCount, total, nextCursor } = answer
  const lastPage = total === undefined ? undefined : Math.max(1, Math.ceil(total / perPage))
  const isPastEnd = lastPage === undefined ? rowCount === 0 : page > lastPage
  const hasNext = lastPage === undefined ? answer.hasNext === true : page < lastPage
  const hasPrevious = page > 1 && !isPastEnd
  const isCounted = total !== undefined && total <= maxCountedRows

  const target = pageTarget(answer)
  const numbered = hasNext ? `<${target(page + 1)}>; rel="next"` : undefined
  const next = nextCursor === undefined ? numbered : keysetLink({ ...answer, next: { cursor: nextCursor } })
  const links = [
    hasPrevious && `<${target(page - 1)}>; rel="prev"`,
    next,
    `<${target(1)}>; rel="first"`,
    isCounted && `<${target(lastPage ?? 1)}>; rel="last"`,
  ]
  const all = links.filter(Boolean).join(', ')
  const link = all.length <= maxLinkLength ? all : next

  const headers: Record<string, string> = {
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': hasNext && nextCursor === undefined ? String(page + 1) : '',
    'X-Prev-Page': hasPrevious ? String(page - 1) : '',
  }
  if (isCounted) {
    headers['X-Total'] = String(total)
    headers['X-Total-Pages'] = String(lastPage)
  }
  if (link !== undefined) headers['Link'] = link
  return headers
}

/** A page of a list with keyset pagination. */
export interface KeysetPage<T> extends KeysetEnd {
  rows: T[]
}

interface KeysetEnd {
  /** Parameters of the next page; undefined on the last page. */
  next: Readonly<Record<string, string | number>> | undefined
}

type KeysetResponse = ListResponse & KeysetEnd

/** Returns the headers of a keyset page: a link to the next page, or nothing on the last page. */
export function keysetHeaders(answer: KeysetResponse): Record<string, string> {
  return answer.next ? { Link: keysetLink(answer) } : {}
}

function keysetLink({ url, parameters, perPage, next }: KeysetResponse): string {
  const query = queryText({ ...parameters, page: undefined, per_page: perPage, ...next, pagination: 'keyset' })
  return `<${address(url)}?${query}>; rel="next"`
}

function pageTarget({ url, parameters, perPage }: PageResponse): (page: number) => string {
  // The four links differ only in the page number, so the rest is formatted once.
  const shown = Object.assign(emptyParams(), parameters, { page: undefined, per_page: perPage })
  const [before, after] = queryTexts(shown, 'page')
  const start = `${address(url)}?${before === '' ? '' : `${before}&`}page=`
  return (page) => `${start}${page}&${after}`
}

/** Parameters that links omit, because links end up in logs and histories. GitLab repeats them. */
const secrets = new Set(['private_token', 'access_token', 'bearer_token', 'job_token'])

/** Formats parameters as a query, sorted by name, with nested names in brackets. */
function queryText(parameters: RawParams): string {
  return queryTexts(parameters)[0]
}

/** Formats the parameters before and after a name in the order of names. */
function queryTexts(parameters: RawParams, middle?: string): [before: string, after: string] {
  let before = ''
  let text = ''
  for (const name of Object.keys(parameters).sort()) {
    if (name === middle) {
      before = text
      text = ''
    } else if (!secrets.has(name)) text = withPairs(text, name, parameters[name])
  }
  return middle === undefined ? [text, ''] : [before, text]
}

/** Adds a parameter to the text of a query, unless it has no value. */
function withPairs(text: string, name: string, value: unknown): string {
  if (value === undefined || isReceivedFile(value)) return text
  let longer = text
  if (Array.isArray(value)) {
    for (const element of value) longer = withPairs(longer, `${name}[]`, element)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value).sort(byKey))
      longer = withPairs(longer, `${name}[${key}]`, element)
  } else {
    const pair = `${escapeQuery(name)}=${escapeQuery(String(value ?? ''))}`
    longer = text === '' ? pair : `${text}&${pair}`
  }
  return longer
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Escapes text as Ruby's `CGI.escape` does, which GitLab uses for links. */
function escapeQuery(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text
  return encodeURIComponent(wellFormed(text))
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, percent)
}

/** Returns the URL without its query. Escapes characters that would end the link early. */
function address(url: string): string {
  const query = url.indexOf('?')
  return (query === -1 ? url : url.slice(0, query)).replace(/[<>"\\\s]/g, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
