/** Reads fields of JSON that another product has written. Fields of another type count as missing. */
export interface Fields {
  text(...path: string[]): string | undefined
  number(...path: string[]): number | undefined
  /** A text, or a number as text. */
  word(...path: string[]): string | undefined
  flag(...path: string[]): boolean
  at(...path: string[]): Fields
  list(...path: string[]): Fields[]
  texts(...path: string[]): string[]
  has(...path: string[]): boolean
}

export function fieldsOf(value: unknown): Fields {
  const find = (path: readonly string[]): unknown => path.reduce(property, value)
  const listAt = (path: readonly string[]): unknown[] => {
    const found = find(path)
    return Array.isArray(found) ? found : []
  }
  const text = (...path: string[]) => {
    const found = find(path)
    return typeof found === 'string' && found.trim() !== '' ? found : undefined
  }
  const number = (...path: string[]) => {
    const found = find(path)
    return typeof found === 'number' ? found : undefined
  }
  return {
    text,
    number,
    word: (...path) => text(...path) ?? number(...path)?.toString(),
    flag: (...path) => find(path) === true,
    at: (...path) => fieldsOf(find(path)),
    list: (...path) => listAt(path).map(fieldsOf),
    texts: (...path) => listAt(path).filter((item) => typeof item === 'string'),
    has: (...path) => (find(path) ?? null) !== null,
  }
}

const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
