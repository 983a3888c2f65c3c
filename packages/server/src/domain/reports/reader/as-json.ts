import { burpAsJson, isBurp } from '../formats/burp/xml-as-json.ts'
import { csvAsJson, separatorOf } from '../formats/generic/csv-as-json.ts'
import { linesAsList } from './json-lines.ts'

/** Length of the beginning by which XML and tables are recognised. */
const headBytes = 16 * 1024

/**
 * Yields a text as JSON: converts the XML of Burp, tables, and lists of JSON documents, one a line. Other texts pass
 * unchanged.
 */
export async function* asJson(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = text[Symbol.asyncIterator]()
  const head: Buffer[] = []
  let length = 0
  let begins: number | undefined
  try {
    while (length < headBytes) {
      const { done, value } = await iterator.next()
      if (done) break
      head.push(value)
      length += value.length
      begins ??= value.find((byte) => byte > 0x20)
      if (begins !== undefined && jsonBrackets.includes(begins)) break
    }
    yield* convert(head, rejoin(head, iterator), begins)
  } finally {
    await iterator.return?.()
  }
}

const jsonBrackets = Buffer.from('{[')
const openAngle = '<'.charCodeAt(0)

function convert(head: readonly Buffer[], all: AsyncIterable<Buffer>, begins: number | undefined) {
  if (begins === undefined || jsonBrackets.includes(begins)) return linesAsList(all)
  const start = Buffer.concat(head).toString('utf8')
  if (begins === openAngle) return isBurp(start) ? burpAsJson(all) : all
  const separator = separatorOf(start.trimStart().split('\n', 1)[0] ?? '')
  return separator === undefined ? all : csvAsJson(all, separator)
}

async function* rejoin(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
