import { measuredProjects } from './data/fixtures.ts'
import type { Sizes } from './options.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, median, print } from './table.ts'

const perPage = 20
/** Page numbers end a little later. */
const maxNumberedRows = 9_900

/** Measured lists, and the share of rows that match each filter. */
const lists = [
  { list: 'vulnerabilities', query: '', share: 1 },
  { list: 'vulnerabilities', query: 'severity=high,low&state=detected', share: 0.34 },
  { list: 'vulnerabilities', query: 'sort=detected_desc&state=detected,confirmed', share: 0.89 },
  { list: 'vulnerabilities', query: 'identifier=CWE-25&severity=medium,low', share: 0.025 },
  // Every name contains a rule number, so this search matches all rows.
  { list: 'vulnerabilities', query: 'search=in+rule+17&sort=severity_asc', share: 1 },
  { list: 'vulnerabilities', query: 'ref=main&state=dismissed', share: 0.08 },
  { list: 'vulnerability_findings', query: '', share: 1 },
  { list: 'vulnerability_findings', query: 'severity=high,low&state=detected', share: 0.34 },
] as const
/** Maximum ratio between the cost of a page of the largest and of the smallest list. */
const maxGrowth = 1.5

/**
 * Measures the cost of uncached pages as a list grows, one request at a time: the first page, a random page and the page
 * after it.
 *
 * The rows of the smallest list are in the file cache of the system, those of the largest are not. Reading them for the
 * first time takes from a microsecond to a hundred, depending on the machine and not on the length of the list. So each
 * page is requested twice, the second time with another size: the second time is compared, and the first one printed.
 */
export async function measurePages(
  server: Running,
  { findings }: Sizes,
  rounds: number,
): Promise<Record<string, Cell>[]> {
  const projects = Object.values(measuredProjects)
  const measured = () => ({ ms: findings.map((): number[] => []), firstMs: findings.map((): number[] => []) })
  const pages = lists.flatMap(({ list, query, share }) =>
    places.map(({ name, pageOf }) => ({
      name: `${list}${query && `?${query}`}, ${name}`,
      paths: projects.map((project, index) => {
        const rows = Math.min(maxNumberedRows, share * (findings[index] ?? 0))
        const pages = Math.max(1, Math.ceil(rows / perPage))
        const path = `/projects/${project}/${list}?${query}`
        return (number: number, size: number) => {
          const start = (pageOf(pages, number) - 1) * perPage
          return `${path}&per_page=${size}&page=${Math.floor(start / size) + 1}`
        }
      }),
      ...measured(),
    })),
  )
  const statistics = {
    name: 'vulnerability_statistics',
    paths: projects.map(
      (project) => (number: number, size: number) =>
        // The route ignores this option of GitLab's clients, so each address is a new one.
        `/projects/${project}/vulnerability_statistics?timeout=${number}-${size}`,
    ),
    ...measured(),
  }
  const rows = [...pages, statistics]
  let number = 0
  for (let round = 0; round <= rounds * 5; round++) {
    for (const { paths, ms, firstMs } of rows) {
      number++
      for (const [index, path] of paths.entries()) {
        // Each size is another page of almost the same rows, so no result is cached.
        const size = perPage - 5 + round
        const first = await timeRequest(`${server.url}/api/v4${path(number, size)}`)
        const again = await timeRequest(`${server.url}/api/v4${path(number, size + 1)}`)
        // The first round is for warming up.
        if (round === 0) continue
        firstMs[index]?.push(first)
        ms[index]?.push(again)
      }
    }
  }
  return rows.map(({ name, ms, firstMs }) => {
    const medians = ms.map(median)
    const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    return {
      page: name,
      ...Object.fromEntries(findings.map((rows, index) => [`${rows.toLocaleString('en')} rows, ms`, medians[index]])),
      growth,
      aim: `≤ ${maxGrowth}`,
      verdict: growth <= maxGrowth ? 'met' : 'missed',
      'first time, ms': firstMs.map((times) => print(median(times))).join(' / '),
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
