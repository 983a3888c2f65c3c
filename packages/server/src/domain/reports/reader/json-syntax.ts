interface Stop {
  offset: number
  what: string
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end'

const expectations: Record<Expected, string> = {
  value: 'expected a value',
  'value or ]': 'expected a value or "]"',
  key: 'expected a property name in double quotes',
  'key or }': 'expected a property name in double quotes or "}"',
  colon: 'expected ":" after the property name',
  'comma or end': 'expected "," or the end of the list or object',
}

/** Finds the first syntax error of a text that `JSON.parse` has rejected. Works without recursion. */
export function findSyntaxError(text: string): Stop {
  const closers: string[] = []
  let expected: Expected = 'value'
  let at = 0
  while (true) {
    at = skipSpace(text, at)
    const char = text[at]
    if (expected === 'comma or end' && closers.length === 0) {
      return { offset: at, what: `${describe(char)} after the end of the JSON` }
    }
    if (char === undefined) return { offset: at, what: 'the file ends too early' }
    if (expected === 'comma or end') {
      if (char === closers.at(-1)) closers.pop()
      else if (char === ',') expected = closers.at(-1) === '}' ? 'key' : 'value'
      else return unexpected(char, at, expected)
      at++
    } else if (expected === 'colon') {
      if (char !== ':') return unexpected(char, at, expected)
      expected = 'value'
      at++
    } else if (char === closers.at(-1) && expected.endsWith(char)) {
      closers.pop()
      expected = 'comma or end'
      at++
    } else if (char === '"') {
      const end = stringEnd(text, at)
      if (typeof end !== 'number') return end
      expected = expected.startsWith('key') ? 'colon' : 'comma or end'
      at = end
    } else if (expected.startsWith('key')) {
      return unexpected(char, at, expected)
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      expected = char === '{' ? 'key or }' : 'value or ]'
      at++
    } else {
      const end = literalEnd(text, at)
      if (end === undefined) return unexpected(char, at, expected)
      expected = 'comma or end'
      at = end
    }
  }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

function stringEnd(text: string, start: number): number | Stop {
  let at = start + 1
  while (text[at] !== '"') {
    const char = text[at]
    if (char === undefined) return { offset: start, what: 'the text that begins here never ends' }
    if (char < ' ') return { offset: at, what: `${describe(char)} inside a text; it must be escaped` }
    if (char === '\\') {
      const sequence = text.slice(at, at + 6)
      if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(sequence)) return { offset: at, what: 'unknown escape in a text' }
      at++
    }
    at++
  }
  return at + 1
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y

function literalEnd(text: string, start: number): number | undefined {
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, start)) return start + word.length
  number.lastIndex = start
  return number.test(text) ? number.lastIndex : undefined
}

const unexpected = (char: string, offset: number, expected: Expected): Stop => ({
  offset,
  what: `${describe(char)}, ${expectations[expected]}`,
})

const describe = (char: string | undefined): string =>
  char === undefined
    ? 'nothing'
    : /[^\s\p{C}]/u.test(char)
      ? `unexpected "${char}"`
      : `unexpected character ${char.charCodeAt(0)}`
