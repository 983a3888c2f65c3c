import { firstAssigneeId, measuredProjects } from './data/fixtures.ts'
import { searchText, topicName } from './data/words.ts'
import type { Sizes } from './options.ts'

/** A row of the table of requests. */
export interface Row {
  name: string
  /** Returns the paths requested in turn. A single path may be answered from the cache, thousands cannot. */
  paths(): readonly string[]
  /** Target: minimum ratio of the ceiling's CPU per request to ours. */
  aim?: number
}

const { large } = measuredProjects
const many = 20_000

/** Returns the rows that read JSON. */
export function listRows(sizes: Sizes): Row[] {
  return [...topicRows(sizes), ...projectRows(sizes), ...vulnerabilityRows(sizes)]
}

function topicRows({ topics }: Sizes): Row[] {
  return [
    { name: 'GET /topics/:id, cached', paths: single('/topics/4711') },
    { name: 'GET /topics/:id, any', paths: series((number) => `/topics/${1 + (number % topics)}`), aim: 0.4 },
    { name: 'GET /topics, cached', paths: single('/topics') },
    { name: 'GET /topics, fresh address', paths: series((number) => `/topics?${unlike(number)}`), aim: 0.3 },
    { name: 'GET /topics, any page', paths: series((number) => `/topics?${anyPage(number, topics)}`), aim: 0.2 },
    { name: 'GET /topics?search=, cached', paths: single(`/topics?search=${encodeURIComponent(topicName(42))}`) },
    {
      name: 'GET /topics?search=, fresh address',
      paths: series((number) => `/topics?search=${encodeURIComponent(searchText(number))}&${unlike(number)}`),
      aim: 0.1,
    },
  ]
}

function projectRows({ projects, topics }: Sizes): Row[] {
  // The most used topics have the lowest numbers.
  const topic = (number: number) => encodeURIComponent(topicName(number % Math.min(topics, 100)))
  return [
    { name: 'GET /projects/:id, any', paths: series((number) => `/projects/${1 + (number % projects)}`), aim: 0.3 },
    {
      name: 'GET /projects?topic=, fresh address',
      paths: series((number) => `/projects?topic=${topic(number)}&${unlike(number)}`),
      aim: 0.25,
    },
    {
      name: 'GET /projects, fresh address',
      paths: series((number) => `/projects?${unlike(number)}`),
      aim: 0.25,
    },
    ...accountRows(),
    {
      name: 'GET …/uploads, fresh address',
      paths: series((number) => `/projects/${large}/uploads?${unlike(number)}`),
      aim: 0.3,
    },
  ]
}

/** Rows for groups, members and users, which every client requests first. */
function accountRows(): Row[] {
  const paths = ['/groups', '/groups/1', `/projects/${large}/members/all`, '/users', '/users/1', '/user']
  return paths.map((path) => ({
    name: `GET ${path.replace(/\d+/, ':id')}, fresh address`,
    paths: series((number) => `${path}?${unlike(number)}`),
    aim: 0.25,
  }))
}

function vulnerabilityRows({ findings: [small, medium, count] }: Sizes): Row[] {
  const vulnerabilities = `/projects/${large}/vulnerabilities`
  const findings = `/projects/${large}/vulnerability_findings`
  return [
    { name: 'GET …/vulnerabilities, cached', paths: single(vulnerabilities) },
    {
      name: 'GET …/vulnerabilities, fresh address',
      paths: series((number) => `${vulnerabilities}?${unlike(number)}`),
      aim: 0.25,
    },
    {
      name: 'GET …/vulnerabilities, any page',
      paths: series((number) => `${vulnerabilities}?${anyPage(number, 10_000)}`),
      aim: 0.25,
    },
    {
      name: 'GET …/vulnerabilities?search=, fresh address',
      // Every name contains a rule number, so this search matches all rows.
      paths: series((number) => `${vulnerabilities}?search=in+rule+17&${unlike(number)}`),
      aim: 0.1,
    },
    ...decisionFilters.map((query) => ({
      name: `GET …/vulnerabilities?${query}, fresh address`,
      paths: series((number) => `${vulnerabilities}?${query}&${unlike(number)}`),
      aim: 0.25,
    })),
    ...[...listsOfMany, ...groupedLists].map((path) => ({
      name: `GET ${path.replace(/^\/projects\/\d+/, '…')}, fresh address`,
      // Lists of many projects reject unknown parameters, but every list accepts `timeout`, which a client sends.
      paths: series((number) => `${path}${path.includes('?') ? '&' : '?'}timeout=${number}`),
      aim: 0.25,
    })),
    {
      name: 'GET /vulnerabilities/:id, any',
      paths: series((number) => `/vulnerabilities/${1 + small + medium + (number % count)}`),
      aim: 0.3,
    },
    { name: 'GET …/vulnerability_findings, cached', paths: single(findings) },
    {
      name: 'GET …/vulnerability_findings, fresh address',
      paths: series((number) => `${findings}?${unlike(number)}`),
      aim: 0.25,
    },
  ]
}

/** Filters and orders by decisions and threats. */
const decisionFilters = [
  'sort=priority_desc',
  'sort=priority_desc&state=detected&severity=high',
  `assignee_id=${firstAssigneeId}`,
  `assignee_id=${firstAssigneeId},${firstAssigneeId + 1}`,
  'assignee_id=none',
  `assignee_id=${firstAssigneeId}&overdue=true`,
  'sort=due_asc',
  'sort=due_desc&kev=true',
  'overdue=true',
  'due_before=2026-03-01',
  'dismissal_ends=true',
  'kev=true',
  'epss_min=0.9',
  'epss_min=0.01',
  'fix_available=true',
  'fix_available=true&kev=true&state=detected',
  'rule_id=3',
] as const

/** Lists and statistics of all projects. */
const listsOfMany = [
  '/groups/1/vulnerabilities',
  '/vulnerabilities',
  '/groups/1/vulnerability_statistics',
  '/vulnerability_statistics',
]

/** Lists with one row for vulnerabilities that are the same flaw. */
const groupedLists = [
  `/projects/${large}/vulnerabilities?group_by=flaw`,
  `/projects/${large}/vulnerabilities?group_by=flaw&state=detected&sort=priority_desc`,
  '/groups/1/vulnerabilities?group_by=flaw',
  '/vulnerabilities?group_by=flaw&state=detected',
]

/** An unknown parameter changes the URL but not the result, so no response is cached by its URL. */
const unlike = (number: number) => `unlike=${number}`

/** Pages of different sizes, so that hardly any result is cached. */
function anyPage(number: number, rows: number): string {
  const perPage = 18 + (number % 5)
  return `per_page=${perPage}&page=${1 + ((number * 7919) % Math.floor(rows / perPage))}`
}

const api = '/api/v4'

const single = (path: string) => () => [api + path]

const series = (path: (number: number) => string) => () =>
  Array.from({ length: many }, (_, number) => api + path(number))
