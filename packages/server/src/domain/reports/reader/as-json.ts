import { burpAsJson, isBurp } from '../formats/burp/xml-as-json.ts'
import { linesAsList } from './json-lines.ts'

/** Length of the beginning by which XML is recognised. */
const headBytes = 16 * 1024

/** Yields a text as JSON: converts the XML of Burp and lists of JSON documents, one a line. Other texts pass unchanged. */
export async function* asJson(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = text[Symbol.asyncIterator]()
  const head: Buffer[] = []
  let length = 0
  let isXml: boolean | undefined
  try {
    while (length < headBytes) {
      const { done, value } = await iterator.next()
      if (done) break
      head.push(value)
      length += value.length
      isXml ??= beginsWithTag(value)
      if (isXml === false) break
    }
    const all = rejoin(head, iterator)
    yield* isXml && isBurp(Buffer.concat(head).toString('latin1')) ? burpAsJson(all) : linesAsList(all)
  } finally {
    await iterator.return?.()
  }
}

/** Returns undefined for a blank chunk. */
function beginsWithTag(chunk: Buffer): boolean | undefined {
  const first = chunk.find((byte) => byte > 0x20)
  return first === undefined ? undefined : first === openBracket
}

const openBracket = '<'.charCodeAt(0)

async function* rejoin(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
