import { measuredProjects } from './known.ts'
import type { Sizes } from './options.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, median } from './table.ts'

const perPage = 20

/** What is asked for, and what share of the rows it lets through. */
const lists = [
  { list: 'vulnerabilities', query: '', share: 1 },
  { list: 'vulnerabilities', query: 'severity=high,low&state=detected', share: 0.34 },
  { list: 'vulnerabilities', query: 'sort=detected_desc&state=detected,confirmed', share: 0.89 },
  { list: 'vulnerabilities', query: 'identifier=CWE-25&severity=medium,low', share: 0.015 },
  { list: 'vulnerabilities', query: 'search=in+rule+17&sort=severity_asc', share: 0.008 },
  { list: 'vulnerabilities', query: 'ref=main&state=dismissed', share: 0.08 },
  { list: 'vulnerability_findings', query: '', share: 1 },
  { list: 'vulnerability_findings', query: 'severity=high,low&state=detected', share: 0.34 },
] as const
/** What a page of the largest list may cost, in pages of the smallest. Noise is between. */
const mostTimesSmallest = 1.5

/**
 * What a page costs as the list grows, one request at a time and none of them answered from memory: the first page, the
 * one in the middle reached by its number, and the one after that.
 */
export async function measurePages(
  server: Running,
  { findings }: Sizes,
  rounds: number,
): Promise<Record<string, Cell>[]> {
  const projects = Object.values(measuredProjects)
  const pages = lists.flatMap(({ list, query, share }) =>
    places.map(({ name, pageOf }) => ({
      name: `${list}${query && `?${query}`}, ${name}`,
      paths: projects.map((project, index) => {
        const pages = Math.max(1, Math.ceil((share * (findings[index] ?? 0)) / perPage))
        const path = `/projects/${project}/${list}?${query}`
        return (number: number) => `${path}&page=${pageOf(pages, number)}&unlike=${number}`
      }),
      ms: findings.map((): number[] => []),
    })),
  )
  const statistics = {
    name: 'vulnerability_statistics',
    paths: projects.map(
      (project) => (number: number) => `/projects/${project}/vulnerability_statistics?unlike=${number}`,
    ),
    ms: findings.map((): number[] => []),
  }
  const rows = [...pages, statistics]
  let number = 0
  for (let round = 0; round <= rounds * 5; round++) {
    for (const { paths, ms } of rows) {
      number++
      for (const [index, path] of paths.entries()) {
        const took = await timeRequest(`${server.url}/api/v4${path(number)}`)
        // The first round is for warming up.
        if (round > 0) ms[index]?.push(took)
      }
    }
  }
  return rows.map(({ name, ms }) => {
    const medians = ms.map(median)
    const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    return {
      page: name,
      ...Object.fromEntries(findings.map((rows, index) => [`${rows.toLocaleString('en')} rows, ms`, medians[index]])),
      growth,
      aim: `≤ ${mostTimesSmallest}`,
      verdict: growth <= mostTimesSmallest ? 'met' : 'missed',
    }
  })
}

const places = [
  { name: 'first page', pageOf: () => 1 },
  {
    name: 'any page',
    pageOf: (pages: number, number: number) => 1 + ((number * 7919) % Math.max(1, Math.floor(pages * 0.7))),
  },
  {
    name: 'next page',
    pageOf: (pages: number, number: number) =>
      Math.max(1, Math.floor(pages / 2)) + (number % Math.max(1, Math.floor(pages / 4))),
  },
]

async function timeRequest(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url, { headers: authorization })
  const text = await response.text()
  const took = performance.now() - start
  if (!response.ok || text === '[]') throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`)
  return took
}
