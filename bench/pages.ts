import { measuredProjects } from './known.ts'
import type { Sizes } from './options.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, median, print } from './table.ts'

const perPage = 20

/** What is asked for, and what share of the rows it lets through. */
const lists = [
  { list: 'vulnerabilities', query: '', share: 1 },
  { list: 'vulnerabilities', query: 'severity=high,low&state=detected', share: 0.34 },
  { list: 'vulnerabilities', query: 'sort=detected_desc&state=detected,confirmed', share: 0.89 },
  { list: 'vulnerabilities', query: 'identifier=CWE-25&severity=medium,low', share: 0.025 },
  // All are called after a rule, and shorter words narrow nothing down.
  { list: 'vulnerabilities', query: 'search=in+rule+17&sort=severity_asc', share: 1 },
  { list: 'vulnerabilities', query: 'ref=main&state=dismissed', share: 0.08 },
  { list: 'vulnerability_findings', query: '', share: 1 },
  { list: 'vulnerability_findings', query: 'severity=high,low&state=detected', share: 0.34 },
] as const
/** What a page of the largest list may cost, in pages of the smallest. Noise is between. */
const mostTimesSmallest = 1.5

/**
 * What a page costs as the list grows, one request at a time and none of them answered from memory: the first page, the
 * one in the middle reached by its number, and the one after that.
 *
 * All rows of the smallest list have long been touched when a page of it is measured, those of a page somewhere in the
 * largest never: its file has gigabytes. What the first touch of a page of a file costs is the machine's doing (a
 * microsecond where the system has it at hand, a hundred on some virtual machines, more when it comes from the disk), and
 * nothing that grows with the list. So each page is asked for twice. The second time is compared; the first time, which
 * includes whatever the server has to find out about the way there, stands beside it.
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
        const pages = Math.max(1, Math.ceil((share * (findings[index] ?? 0)) / perPage))
        const path = `/projects/${project}/${list}?${query}`
        return (number: number) => `${path}&page=${pageOf(pages, number)}&unlike=${number}`
      }),
      ...measured(),
    })),
  )
  const statistics = {
    name: 'vulnerability_statistics',
    paths: projects.map(
      (project) => (number: number) => `/projects/${project}/vulnerability_statistics?unlike=${number}`,
    ),
    ...measured(),
  }
  const rows = [...pages, statistics]
  let number = 0
  for (let round = 0; round <= rounds * 5; round++) {
    for (const { paths, ms, firstMs } of rows) {
      number++
      for (const [index, path] of paths.entries()) {
        const url = `${server.url}/api/v4${path(number)}`
        const first = await timeRequest(url)
        const again = await timeRequest(`${url}-again`)
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
      aim: `≤ ${mostTimesSmallest}`,
      verdict: growth <= mostTimesSmallest ? 'met' : 'missed',
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
