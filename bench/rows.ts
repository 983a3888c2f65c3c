import { measuredProjects } from './known.ts'
import type { Sizes } from './options.ts'
import { searchText, topicName } from './words.ts'

/** One line of the table of requests. */
export interface Row {
  name: string
  /** Addresses asked in turn. One: the server may remember the answer. Thousands: it cannot. */
  paths: readonly string[]
  /** The least ratio to the ceiling that is aimed at. */
  aim?: number
}

const { large } = measuredProjects
const many = 20_000

/** Everything that is read as JSON. */
export function listRows({ topics }: Sizes): Row[] {
  const vulnerabilities = `/projects/${large}/vulnerabilities`
  const findings = `/projects/${large}/vulnerability_findings`
  return [
    { name: 'GET /topics/:id, remembered', paths: ['/topics/4711'], aim: 0.55 },
    { name: 'GET /topics/:id, any', paths: series((number) => `/topics/${1 + (number % topics)}`), aim: 0.55 },
    { name: 'GET /topics, remembered', paths: ['/topics'], aim: 0.5 },
    { name: 'GET /topics, anew', paths: series((number) => `/topics?${unlike(number)}`), aim: 0.5 },
    {
      name: 'GET /topics?search=, remembered',
      paths: [`/topics?search=${encodeURIComponent(topicName(42))}`],
      aim: 0.5,
    },
    {
      name: 'GET /topics?search=, anew',
      paths: series((number) => `/topics?search=${encodeURIComponent(searchText(number))}&${unlike(number)}`),
      aim: 0.5,
    },
    { name: 'GET …/vulnerabilities, remembered', paths: [vulnerabilities], aim: 0.25 },
    {
      name: 'GET …/vulnerabilities, anew',
      paths: series((number) => `${vulnerabilities}?${unlike(number)}`),
      aim: 0.25,
    },
    { name: 'GET …/vulnerability_findings, remembered', paths: [findings], aim: 0.25 },
    {
      name: 'GET …/vulnerability_findings, anew',
      paths: series((number) => `${findings}?${unlike(number)}`),
      aim: 0.25,
    },
  ].map((row) => ({ ...row, paths: row.paths.map((path) => `/api/v4${path}`) }))
}

/** An unknown parameter changes the URL but not the response, so no cached response matches. */
const unlike = (number: number) => `unlike=${number}`

function series(path: (number: number) => string): string[] {
  return Array.from({ length: many }, (_, number) => path(number))
}
