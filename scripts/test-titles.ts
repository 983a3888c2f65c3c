export interface TestTitle {
  /** Line of the title, from 1. */
  line: number
  title: string
  /** Titles of its groups and its own, joined by ›. */
  fullName: string
  isGroup: boolean
}

/** Returns the titles of tests and their groups. The formatter's indentation shows which group contains which. */
export function testTitles(source: string): TestTitle[] {
  // `test('…',`, or the end of the rows of `test.each`: `])('…',`
  const named = /^( *)((?:describe|test)\b.*|[\])}].*\))\(\s*(['"`])((?:\\.|(?!\3).)*)\3,/gm
  const above: { indent: number; title: string }[] = []
  return [...source.matchAll(named)].map((match) => {
    const [whole, { length: indent } = '', call = '', , text = ''] = match
    const title = text.replace(/\\(['"`])/g, '$1')
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    above.push({ indent, title })
    return {
      line: source.slice(0, match.index + whole.length).split('\n').length,
      title,
      fullName: above.map((entry) => entry.title).join(' › '),
      isGroup: call.startsWith('describe'),
    }
  })
}
