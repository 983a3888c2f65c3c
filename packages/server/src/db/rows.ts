/** Column of a result, with the conversion of its values. */
interface Column {
  readonly name: string
  readonly read?: ((value: unknown) => unknown) | undefined
}

type RowReader = (values: readonly unknown[]) => object

/**
 * Returns a function that builds a row with camelCase keys from the values of its columns. Columns named `owner.id` and
 * `owner.name` become a nested object, or null when the first of them is null, as after a left join.
 */
export function rowReader(columns: readonly Column[]): RowReader {
  return readerOf(columns.map(({ name, read }, index) => ({ key: camelCase(name), read, index })))
}

function readerOf(fields: readonly { key: string; read: Column['read']; index: number }[]): RowReader {
  const plain = fields.filter(({ key }) => !key.includes('.'))
  const names = new Set(fields.filter((field) => !plain.includes(field)).map(({ key }) => key.split('.', 1).join()))
  const nested = [...names].map((name) => {
    const inner = fields.filter(({ key }) => key.startsWith(`${name}.`))
    const build = readerOf(inner.map((field) => ({ ...field, key: field.key.slice(name.length + 1) })))
    return { name, first: inner[0]?.index ?? 0, build }
  })
  // A copy has the shape of a row from the start, which is faster than adding one key after another.
  const empty: Record<string, unknown> = Object.fromEntries(
    [...plain.map(({ key }) => key), ...names].map((key) => [key, null]),
  )
  return (values) => {
    const row = { ...empty }
    for (const { key, read, index } of plain) row[key] = read ? read(values[index]) : values[index]
    for (const { name, first, build } of nested) if (values[first] !== null) row[name] = build(values)
    return row
  }
}

const camelCase = cached((name) => name.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase()))

/** Converts a key of a record to the name of its column. */
export const snakeCase = cached((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

/** Caches the result of every call. There are only as many names as the program contains. */
function cached(convert: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const converted = known.get(name) ?? convert(name)
    known.set(name, converted)
    return converted
  }
}
