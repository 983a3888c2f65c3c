/** An element of an XML document. */
export interface Element {
  name: string
  attributes: Record<string, string>
  children: Element[]
  text: string
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Parses XML without doctype, comments and namespaces. Throws at anything that is not well-formed. */
export function parseXml(source: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const tokens = /<\?xml[^>]*\?>|<\/([\w-]+)>|<([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
  while (tokens.lastIndex < source.length) {
    const start = tokens.lastIndex
    const match = tokens.exec(source)
    if (!match) throw new Error(`not well-formed at ${start}: ${source.slice(start, start + 40)}`)
    const [, closed, name, attributes = '', isEmpty, text] = match
    const parent = open.at(-1) ?? root
    if (closed !== undefined) {
      if (open.pop()?.name !== closed) throw new Error(`</${closed}> closes another element`)
    } else if (name !== undefined) {
      const element: Element = { name, attributes: readAttributes(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!isEmpty) open.push(element)
    } else if (text !== undefined) parent.text += decode(text)
  }
  const [document, ...others] = root.children
  if (open.length !== 1 || !document || others.length > 0) throw new Error('not one complete element')
  return document
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, decode(value)] as const,
  )
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error(`repeated attribute in ${text}`)
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  if (/(?![\n\t])\p{Cc}|[\ufffe\uffff]/u.test(text)) throw new Error('a character that XML forbids')
  return text.replace(/&(\w*);?/g, (reference, name: string) => {
    const character = entities[name]
    if (character === undefined || !reference.endsWith(';')) throw new Error(`unknown entity ${reference}`)
    return character
  })
}
