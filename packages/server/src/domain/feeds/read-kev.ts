import { type FeedRelease, type FeedRows, type KevEntry, WrongFeed } from './feed.ts'
import type { Lines } from './file-lines.ts'

/** The catalogue has about 1 KB for each of its entries. */
const maxLength = 32 * 1024 * 1024

/** Reads the JSON catalogue of known exploited vulnerabilities of CISA, which is one small document. */
export async function* readKev(parts: AsyncIterable<Lines>): AsyncGenerator<FeedRows, FeedRelease> {
  const texts: string[] = []
  let length = 0
  for await (const { lines, first } of parts) {
    const text = lines.join('\n')
    length += text.length + 1
    if (length > maxLength) throw new WrongFeed(`the catalogue is larger than ${maxLength} characters`, first)
    texts.push(text)
  }
  const catalogue = readCatalogue(texts.join('\n'))
  const { vulnerabilities, count } = catalogue
  if (!Array.isArray(vulnerabilities)) {
    throw new WrongFeed('neither the KEV catalogue, which has vulnerabilities, nor one advisory of OSV per line')
  }
  if (vulnerabilities.length === 0) throw new WrongFeed('the catalogue is empty')
  if (typeof count === 'number' && count !== vulnerabilities.length) {
    throw new WrongFeed(`the catalogue states ${count} entries and has ${vulnerabilities.length}`)
  }
  yield { kind: 'kev', rows: vulnerabilities.map(readEntry) }
  const published = typeof catalogue.dateReleased === 'string' ? Date.parse(catalogue.dateReleased) : Number.NaN
  return {
    version: typeof catalogue.catalogVersion === 'string' ? catalogue.catalogVersion.slice(0, 100) : null,
    publishedAt: Number.isNaN(published) ? null : new Date(published).toISOString(),
  }
}

function readCatalogue(text: string): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    throw new WrongFeed(`not valid JSON: ${error instanceof Error ? error.message : error}`, lineOf(text, error))
  }
  throw new WrongFeed('expected an object', 1)
}

/** Returns the line of a syntax error. Where the text ends too early, the error has no position. */
function lineOf(text: string, error: unknown): number {
  const [, position] = /at position (\d{1,10})/.exec(error instanceof Error ? error.message : '') ?? []
  return text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length
}

function readEntry(value: unknown, index: number): KevEntry {
  const entry: { [key: string]: unknown } = isObject(value) ? value : {}
  const { cveID: cve, dateAdded: addedOn, dueDate: dueOn = null, knownRansomwareCampaignUse: ransomware } = entry
  if (
    typeof cve !== 'string' ||
    !/^CVE-\d{4}-\d{4,19}$/.test(cve) ||
    !isDay(addedOn) ||
    !(dueOn === null || isDay(dueOn))
  ) {
    throw new WrongFeed(`entry ${index + 1} has no valid cveID, dateAdded or dueDate`)
  }
  return { cve, addedOn, dueOn, isRansomware: ransomware === 'Known' }
}

const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
