import { type EpssScore, type FeedRelease, type FeedRows, WrongFeed } from './feed.ts'
import type { Lines } from './file-lines.ts'

/** Begins the first line of a file of EPSS scores. */
export const epssComment = '#model_version'

const header = 'cve,epss,percentile'
const million = 1_000_000

/** Reads the CSV file of FIRST: a comment with version and date, a header, and a line for each CVE. */
export async function* readEpss(parts: AsyncIterable<Lines>): AsyncGenerator<FeedRows, FeedRelease> {
  let release: FeedRelease | undefined
  let last: Lines | undefined
  for await (const part of parts) {
    const rows: EpssScore[] = []
    for (const [index, line] of part.lines.entries()) {
      const number = part.first + index
      if (number === 1) release = readComment(line)
      else if (number > 2) rows.push(readScore(line, number))
      else if (line !== header) throw new WrongFeed(`expected the header ${header}`, number)
    }
    yield { kind: 'epss', rows }
    last = part
  }
  if (!release || !last) throw new WrongFeed('the file is empty')
  if (last.isUnfinished) throw new WrongFeed('the file is truncated: its last line has no line break', last.first)
  return release
}

function readComment(line: string): FeedRelease {
  const [, version = '', date = ''] = /^#model_version:([^,]{1,100}),score_date:(\S{10,40})$/.exec(line) ?? []
  const publishedAt = Date.parse(date.replace(/\+0000$/, 'Z'))
  if (Number.isNaN(publishedAt)) throw new WrongFeed('expected #model_version:…,score_date:…', 1)
  return { version, publishedAt: new Date(publishedAt).toISOString() }
}

function readScore(line: string, number: number): EpssScore {
  const [cve = '', score, percentile, ...others] = line.split(',')
  const isRight = isCve(cve) && isFraction(score) && isFraction(percentile) && others.length === 0
  if (!isRight) throw new WrongFeed('expected a CVE, a score and a percentile from 0 to 1', number)
  return { cve, scoreMillionths: millionthsOf(score), percentileMillionths: millionthsOf(percentile) }
}

const isCve = (text: string) => /^CVE-\d{4}-\d{4,19}$/.test(text)

const isFraction = (text: string | undefined): text is string =>
  text !== undefined && /^\d(?:\.\d{1,20})?(?:[eE]-\d{1,2})?$/.test(text) && Number(text) <= 1

const millionthsOf = (text: string) => Math.round(Number(text) * million)
