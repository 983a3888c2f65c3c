import type { ListOperation, Page, Request, RowOf } from '@alcove/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import { asProject } from '../../nouns/project/project.ts'
import { type VulnerabilityRow, vulnerabilitiesOf } from '../../nouns/vulnerability/owner.ts'
import { useActions, usePages } from './search-pages.ts'
import type { SearchResult } from './search-result.ts'
import { texts } from './texts.ts'

export interface ResultGroup {
  label: string
  items: readonly SearchResult[]
}

/** The API finds words of at least three letters. */
const minLetters = 3
/** The search of files rejects a text without a word of this length. */
const hasTerm = (words: string) => words.split(/\s+/).some((word) => [...word].length >= minLetters)
/** The search of packages rejects a text without such a word. */
const hasWord = /[\p{L}\p{N}]{3}/u
/** Identifiers that are searched for as a whole, which is exact and fast in lists of any size. */
const wholeIdentifier = /^(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3})$/i

/** Returns pages, vulnerabilities, projects, groups, topics and users that match a text, for a user or a visitor. */
export function useSearchResults(text: string): { groups: ResultGroup[]; isLoading: boolean; error: Error | null } {
  const session = useSession()
  const words = text.trim()
  const pages = [...usePages(words), ...useActions(words)]
  const isSearch = words.length >= minLetters
  const isMember = isSearch && session.user !== null
  const found = [
    useVulnerabilities(words, isMember),
    useFound('GET /projects', { query: { search: words, simple: true, per_page: 5 } }, isSearch, (view) => {
      const { id, path_with_namespace: path, namespace, name, avatar_url: avatarUrl } = asProject(view)
      return { key: texts.project(id), to: `/${path}`, title: name, detail: namespace.full_path, avatarUrl }
    }),
    useFound(
      'GET /dependencies',
      { query: { search: words, per_page: 3 } },
      isMember && hasWord.test(words),
      (used) => ({
        key: texts.package(used.package_url ?? used.name, used.version),
        to: `/-/dependencies?${new URLSearchParams({ search: used.package_url ?? used.name })}`,
        title: [used.name, used.version].filter(Boolean).join(' '),
        detail: texts.projectProjectCount(used.project_count),
      }),
    ),
    useFound('GET /groups', { query: { search: words, per_page: 3 } }, isSearch, (group) => ({
      key: texts.group(group.id),
      to: `/groups/${group.full_path}`,
      title: group.full_name,
      avatarUrl: group.avatar_url,
    })),
    useFound('GET /topics', { query: { search: words, per_page: 3 } }, isSearch, (topic) => ({
      key: texts.topic(topic.id),
      to: `/explore/topics/${encodeURIComponent(topic.name)}`,
      title: topic.title ?? topic.name,
      avatarUrl: topic.avatar_url,
    })),
    useFound('GET /uploads', { query: { search: words, per_page: 5 } }, isMember && hasTerm(words), (file) => ({
      key: texts.file(file.id),
      to: `${file.owner.kind === 'group' ? '/groups' : ''}/${file.owner.full_path}/-/uploads?${new URLSearchParams({ search: file.filename })}`,
      title: file.filename,
      detail: file.owner.full_path,
    })),
    useFound('GET /users', { query: { search: words, active: true, per_page: 3 } }, isMember, (user) => ({
      key: texts.user(user.id),
      to: `/${user.username}`,
      title: user.name,
      detail: `@${user.username}`,
      avatarUrl: user.avatar_url,
    })),
  ]
  const labels = [
    ...[texts.vulnerabilities, texts.projects, texts.packages, texts.groups, texts.topics, texts.files, texts.users],
  ]
  const groups = [
    { label: texts.goTo, items: pages },
    ...found.map(({ items }, index) => ({ label: labels[index] ?? '', items })),
  ]
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isLoading: found.some(({ isLoading }) => isLoading),
    error: found.find(({ error }) => error)?.error ?? null,
  }
}

interface Found {
  items: readonly SearchResult[]
  isLoading: boolean
  error: Error | null
}

/** Searches one list. Shows the results of the previous text until those of this one are there. */
function useFound<O extends ListOperation>(
  operation: O,
  request: Request<O>,
  isEnabled: boolean,
  asResult: (row: RowOf<O>) => SearchResult,
): Found {
  const query = useQuery<Page<RowOf<O>>>({
    queryKey: ['search', operation, request],
    queryFn: ({ signal }) => api.page(operation, request, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
  return asFound(query, isEnabled, (rows) => rows.map(asResult))
}

function useVulnerabilities(words: string, isEnabled: boolean): Found {
  const filter = wholeIdentifier.test(words) ? { identifier: [words] } : { search: words }
  const list = vulnerabilitiesOf({ kind: 'instance', scope: {}, mayTriage: false }, filter, 'severity_desc')
  const query = useQuery({
    queryKey: ['search', list.id],
    queryFn: ({ signal }) => list.load({ page: 1, per_page: 6 }, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
  const [[name, value] = ['search', words]] = Object.entries(filter)
  const all = {
    key: texts.allVulnerabilities,
    to: `/-/vulnerabilities?${new URLSearchParams({ [name]: String(value) })}`,
    title: texts.allVulnerabilitiesThatMatch(words),
  }
  return asFound(query, isEnabled, (rows) => (rows.length > 0 ? [...rows.map(asResult), all] : []))
}

const asResult = (row: VulnerabilityRow): SearchResult => ({
  key: texts.vulnerability(row.id),
  to: row.to,
  title: row.title,
  detail: `${row.projectName} · ${row.place}`,
  severity: row.severity,
  state: row.state,
})

interface ListResponse<Row> {
  data: Page<Row> | undefined
  isFetching: boolean
  error: Error | null
}

function asFound<Row>(
  { data, isFetching, error }: ListResponse<Row>,
  isEnabled: boolean,
  asResults: (rows: Row[]) => SearchResult[],
): Found {
  if (!isEnabled) return { items: [], isLoading: false, error: null }
  return { items: data ? asResults(data.rows) : [], isLoading: isFetching, error }
}
